import Foundation
import ObjectGenerator

/// Writes the generated files of a target; what the build plugin runs.
struct GenerateCommand {
    private var module = ""
    private var output = ""
    private var sources: [String] = []
    private var models: [String] = []
    private var dependencies: [(name: String, folder: String)] = []

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw UsageError(sentence: "'\(option)' needs a value.")
            }
            switch option {
            case "--module": module = value
            case "--output": output = value
            case "--source": sources.append(value)
            case "--model": models.append(value)
            case "--dependency":
                guard let equals = value.firstIndex(of: "=") else {
                    throw UsageError(sentence: "'--dependency' takes NAME=FOLDER.")
                }
                dependencies.append((String(value[..<equals]), String(value[value.index(after: equals)...])))
            default: throw UsageError(sentence: "'\(option)' is no option.")
            }
        }
        guard !module.isEmpty, !output.isEmpty else {
            throw UsageError(sentence: "'--module' and '--output' are required.")
        }
    }

    func run() throws -> Int32 {
        let files = try models.map { try ModelFile(contentsOf: URL(fileURLWithPath: $0)) }
        let input = ObjectGenerator.Input(
            module: module, sources: try sources.map { try SourceFile(contentsOf: $0) }, models: files,
            dependencies: try dependencies.map { ($0.name, try swiftFiles(in: $0.folder)) })
        let result = ObjectGenerator.generate(input)
        result.diagnostics.forEach { Console.report($0.description) }
        guard !result.diagnostics.contains(where: { $0.severity == .error }) else { return 1 }
        let folder = URL(fileURLWithPath: output)
        try write(result.classes, to: folder.appendingPathComponent("ManagedObjectClasses.swift"))
        try write(result.accessors, to: folder.appendingPathComponent("ManagedObjectAccessors.swift"))
        for file in files { try bundle(file, in: folder) }
        return 0
    }

    /// Files that say the same stay untouched, so that nothing is compiled anew for them.
    private func write(_ text: String, to url: URL) throws {
        let data = Data(text.utf8)
        if let old = try? Data(contentsOf: url), old == data { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }

    /// What `Bundle.module.url(forResource:withExtension: "momd")` finds: the versions as they are.
    private func bundle(_ model: ModelFile, in folder: URL) throws {
        let bundle = folder.appendingPathComponent(model.name + ".momd")
        if let old = try? FileManager.default.contentsOfDirectory(atPath: bundle.path) {
            let current = Set(model.versions.map { $0.name + ".xcdatamodel" })
            for name in old where name.hasSuffix(".xcdatamodel") && !current.contains(name) {
                try FileManager.default.removeItem(at: bundle.appendingPathComponent(name))
            }
        }
        for version in model.versions {
            let place = bundle.appendingPathComponent(version.name + ".xcdatamodel")
            try write(version.contents, to: place.appendingPathComponent("contents"))
        }
        let current = model.currentVersion.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        try write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>NSManagedObjectModel_CurrentVersionName</key><string>\(current)</string>
            </dict></plist>

            """, to: bundle.appendingPathComponent("VersionInfo.plist"))
    }

    private func swiftFiles(in folder: String) throws -> [SourceFile] {
        guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
        return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
            .map { try SourceFile(contentsOf: folder + "/" + $0) }
    }
}
