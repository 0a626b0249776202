/// Generates, for one target, what Xcode's build and the Objective-C runtime do on Apple's platforms.
public struct ObjectGenerator {
    /// What the generator knows about the target.
    public struct Input: Sendable {
        /// The name of the module.
        public var module: String
        /// Its Swift files.
        public var sources: [SourceFile]
        /// Its models.
        public var models: [ModelFile]
        /// The Swift files of modules that the target depends on, by name, so that their types can be named.
        public var dependencies: [(module: String, sources: [SourceFile])]
        /// The module that the generated files import.
        public var importName = "CoreData"
        /// The module that declares `NSManagedObject`.
        public var runtimeModule = "StratusCoreData"

        /// Creates a target.
        public init(
            module: String, sources: [SourceFile], models: [ModelFile] = [],
            dependencies: [(module: String, sources: [SourceFile])] = []
        ) {
            self.module = module
            self.sources = sources
            self.models = models
            self.dependencies = dependencies
        }

        /// Whether the target's sources declare a type of that name.
        public func declares(_ name: String) -> Bool {
            ModuleIndex(name: module, files: sources).declares(name)
        }
    }

    /// What the generator answers.
    public struct Output: Sendable {
        /// The classes of the models, and the models.
        public var classes: String
        /// The accessors of `@NSManaged` members.
        public var accessors: String
        /// What the developer should know; nothing is to be compiled where one is an error.
        public var diagnostics: [GeneratorDiagnostic]
    }

    /// Generates both files for a target.
    public static func generate(_ input: Input) -> Output {
        let index = ModuleIndex(name: input.module, files: input.sources)
        let entities = EntityIndex(models: input.models, module: input.module)
        let generated = Set(
            input.models.flatMap { ClassWriter.generatedClasses(of: $0, module: input.module) })
        let resolver = TypeResolver(
            module: index,
            dependencies: input.dependencies.map { ModuleIndex(name: $0.module, files: $0.sources) },
            generatedClasses: generated, runtimeModule: input.runtimeModule)
        var accessors = AccessorWriter(resolver: resolver, entities: entities, importName: input.importName)
        let files = index.files(mentioning: "NSManaged")
        let accessorText = accessors.write(files)
        var diagnostics = accessors.diagnostics + notes(on: files)

        var classLines: [String] = []
        var paths = accessors.keyPaths
        for model in input.models {
            var writer = ClassWriter(model: model, index: index)
            classLines += writer.write()
            diagnostics += writer.diagnostics
            diagnostics += model.skipped.map { version in
                GeneratorDiagnostic(
                    .warning, path: model.path,
                    "the version '\(version)' is in a format before Xcode 4 and is not bundled; "
                        + "open and save it in Xcode")
            }
            for (name, properties) in writer.properties {
                paths[Spelling.escaped(name), default: []] += properties.map { ($0, []) }
            }
        }
        let classes = ManagedClasses(resolver: resolver).entries(
            generated: generated, inModels: entities.classNames, files: files)
        let bundle = BundleWriter(
            module: input.module, classes: classes,
            keyPaths: paths.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            getters: TransientGetters(index: index, entities: entities).entries())
        classLines += bundle.lines(for: input.models)
        return Output(
            classes: file(header(input, classLines) + classLines + FoundationNames.lines(for: index)),
            accessors: file(accessorText.isEmpty ? [] : [accessorText]), diagnostics: diagnostics)
    }

    private static func header(_ input: Input, _ lines: [String]) -> [String] {
        guard !lines.isEmpty else { return [] }
        let isPublic = lines.contains { $0.contains("public ") }
        func isMentioned(_ words: [String]) -> Bool {
            lines.contains { line in line.contains("public ") && words.contains { line.contains($0) } }
        }
        let classes = ["NSSet?", "NSOrderedSet?", "NSNumber?", "NSObject?", "NSDecimalNumber?"]
        let imports =
            if isMentioned(classes) {
                ["public import Foundation"]
            } else if isMentioned(["Date?", "URL?", "UUID?", "Data?", "TimeInterval"]) {
                // The compiler calls a public import unused when only the module below it is.
                [
                    "#if canImport(FoundationEssentials)", "public import FoundationEssentials", "#else",
                    "public import Foundation", "#endif",
                ]
            } else {
                ["import Foundation"]
            }
        return [(isPublic ? "public " : "") + "import \(input.importName)"] + imports + [""]
    }

    /// Uses of Objective-C in files with managed classes, which the compiler rejects without saying why.
    private static func notes(on files: [FileDeclarations]) -> [GeneratorDiagnostic] {
        files.flatMap(\.objectiveC).map { use in
            GeneratorDiagnostic(
                .warning, at: use.location,
                "'\(use.text)' does not compile on Linux; run 'swift package --allow-writing-to-package-directory port-managed-objects --write'"
            )
        }
    }

    private static func file(_ lines: [String]) -> String {
        let start = "// Generated by ManagedObjectGenerator. Changes are lost.\n"
        guard !lines.isEmpty else { return start }
        return start + "#if !canImport(ObjectiveC)\n" + lines.joined(separator: "\n") + "\n#endif\n"
    }
}
