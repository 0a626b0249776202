import Foundation
import ManagedObjectGeneration

/// Writes the generated files of a target; what the build plugin runs.
struct GenerateCommand {
    private var module = ""
    private var output = ""
    private var sources: [String] = []
    private var models: [String] = []
    private var mappings: [String] = []
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
            case "--mapping": mappings.append(value)
            case "--dependency":
                guard let equals = value.firstIndex(of: "=") else {
                    throw UsageError(sentence: "'--dependency' takes NAME=FOLDER.")
                }
                dependencies.append((String(value[..<equals]), String(value[value.index(after: equals)...])))
            default: throw UsageError(sentence: "'\(option)' is not an option.")
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
        result.diagnostics.forEach { StandardStreams.report($0.description) }
        guard !result.diagnostics.contains(where: { $0.severity == .error }) else { return 1 }
        let folder = URL(fileURLWithPath: output)
        try write(result.classes, to: folder.appendingPathComponent("ManagedObjectClasses.swift"))
        try write(result.accessors, to: folder.appendingPathComponent("ManagedObjectAccessors.swift"))
        for file in files { try bundle(file, in: folder) }
        for path in mappings {
            let mapping = MappingModelFile(contentsOf: URL(fileURLWithPath: path))
            let compiled = mapping.compiled(with: files, module: module) { input.declares($0) }
            compiled.diagnostics.forEach { StandardStreams.report($0.description) }
            try write(compiled.data, to: folder.appendingPathComponent(mapping.name + ".cdm"))
        }
        return 0
    }

    private func write(_ text: String, to url: URL) throws { try write(Data(text.utf8), to: url) }

    /// Files that say the same stay untouched, so that nothing is compiled again for them.
    private func write(_ data: Data, to url: URL) throws {
        // A file that cannot be read is written, which says what is wrong.
        if let old = try? Data(contentsOf: url), old == data { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }

    /// What `Bundle.module.url(forResource:withExtension: "momd")` finds: compiled versions, as in an app of Xcode's.
    private func bundle(_ model: ModelFile, in folder: URL) throws {
        let compiled = ModelBundle(model, module: module)
        compiled.diagnostics.forEach { StandardStreams.report($0.description) }
        let bundle = folder.appendingPathComponent(model.name + ".momd")
        // A bundle that is not there has no old versions.
        if let old = try? FileManager.default.contentsOfDirectory(atPath: bundle.path) {
            for name in old where compiled.files[name] == nil && isVersion(name) {
                try FileManager.default.removeItem(at: bundle.appendingPathComponent(name))
            }
        }
        for (name, data) in compiled.files { try write(data, to: bundle.appendingPathComponent(name)) }
    }

    /// Earlier releases bundled the sources of versions.
    private func isVersion(_ name: String) -> Bool {
        name.hasSuffix(".mom") || name.hasSuffix(".xcdatamodel")
    }

    private func swiftFiles(in folder: String) throws -> [SourceFile] {
        guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
        return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
            .map { try SourceFile(contentsOf: folder + "/" + $0) }
    }
}
