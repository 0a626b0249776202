import Foundation
import PackagePlugin

/// `swift package port-managed-objects [--write] [FILE...]`: takes `@objc` and `#keyPath` out of sources.
@main
struct PortManagedObjects: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let writes = extractor.extractFlag(named: "write") > 0
        let names = extractor.extractOption(named: "target")
        var files = extractor.remainingArguments
        if files.isEmpty {
            let targets = try names.isEmpty ? context.package.targets : context.package.targets(named: names)
            files = targets.compactMap(\.sourceModule).flatMap(\.sourceFiles).map(\.url.path)
                .filter { $0.hasSuffix(".swift") }.sorted()
        }
        guard !files.isEmpty else { return Diagnostics.remark("There are no Swift files.") }
        let process = Process()
        process.executableURL = try context.tool(named: "managed-object-generator").url
        process.arguments = ["port"] + (writes ? ["--write"] : []) + files
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            Diagnostics.error(
                "managed-object-generator port failed with status \(process.terminationStatus).")
        }
    }
}
