import Foundation
import PackagePlugin

/// `swift package port-managed-objects [--write] [--strict] [--target NAME]... [FILE...]`: takes Objective-C out of
/// sources.
@main
struct PortManagedObjects: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "managed-object-generator").url
        var extractor = ArgumentExtractor(arguments)
        if extractor.extractFlag(named: "help") > 0 { return try run(tool, ["--help"]) }
        let options =
            (extractor.extractFlag(named: "write") > 0 ? ["--write"] : [])
            + (extractor.extractFlag(named: "strict") > 0 ? ["--strict"] : [])
        let support = extractor.extractOption(named: "support").last
        let names = extractor.extractOption(named: "target")
        let files = extractor.remainingArguments
        guard files.isEmpty else {
            return try run(tool, options + (support.map { ["--support", $0] } ?? []) + files)
        }
        // One call for each target: a selector means a method of its own module.
        let targets = try names.isEmpty ? context.package.targets : context.package.targets(named: names)
        var isEmpty = true
        for target in targets.compactMap(\.sourceModule) {
            let sources = target.sourceFiles.map(\.url.path).filter { $0.hasSuffix(".swift") }.sorted()
            guard !sources.isEmpty else { continue }
            isEmpty = false
            print("Target \(target.name):")
            try run(tool, options + ["--support", support ?? target.directoryURL.path] + sources)
        }
        if isEmpty { Diagnostics.remark("There are no Swift files.") }
    }

    private func run(_ tool: URL, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = ["port"] + arguments
        try process.run()
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0: break
        case 2: Diagnostics.error("Something is to be changed, or left for you: see above.")
        case let status: Diagnostics.error("managed-object-generator port failed with status \(status).")
        }
    }
}
