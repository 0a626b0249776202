/// Writes the type by which the runtime finds a model and its classes, and its registration.
struct BundleWriter {
    let module: String
    /// The managed classes that the module declares, by the names that models call them.
    var classes: [ManagedClasses.Entry]
    /// The properties of classes that a key path can name.
    var keyPaths: [(className: String, properties: [(property: String, conditions: [String])])]
    /// The getters that classes write for transient attributes.
    var getters: [(className: String, properties: [(property: String, conditions: [String])])] = []

    /// The declarations for these models, as lines.
    func lines(for models: [ModelFile]) -> [String] {
        guard !models.isEmpty || !keyPaths.isEmpty || !classes.isEmpty else { return [] }
        var lines: [String] = []
        for (className, properties) in keyPaths { lines += keyPathTable(of: className, properties) }
        for (className, properties) in getters { lines += getterTable(of: className, properties) }
        lines += [
            "/// What the classes of this module are called in models, and what their key paths mean.",
            "nonisolated enum _ManagedClasses_\(Self.identifier(module)): BundledClasses {",
            "    static var moduleName: String { \(Spelling.literal(module)) }",
            "    static var classes: [String: NSManagedObject.Type] {",
            "        var classes: [String: NSManagedObject.Type] = [:]",
        ]
        var table = ConditionalText()
        for entry in classes {
            table.append(
                ["        classes[\(Spelling.literal(entry.name))] = \(entry.type).self"],
                when: entry.conditions)
        }
        table.close()
        lines += table.lines
        lines += ["        return classes", "    }", "    static var keyPaths: [AnyKeyPath: String] {"]
        if keyPaths.isEmpty {
            lines += ["        [:]"]
        } else {
            // A module may isolate its extensions to the main actor. Key paths are only compared, so that
            // does not matter here.
            lines += [
                "        var paths: [AnyKeyPath: String] = [:]",
                "        func add(_ table: @MainActor (inout [AnyKeyPath: String]) -> Void) {",
                "            withoutActuallyEscaping(table) { table in",
                "                unsafeBitCast(table, to: ((inout [AnyKeyPath: String]) -> Void).self)(&paths)",
                "            }",
                "        }",
            ]
            var calls = ConditionalText()
            for (className, properties) in keyPaths {
                calls.append(
                    ["        add(\(className).\(tableName(className)))"],
                    when: Self.common(properties.map(\.conditions)))
            }
            calls.close()
            lines += calls.lines + ["        return paths"]
        }
        lines += ["    }"] + getterList() + ["}", ""]
        for model in models { lines += type(for: model) }
        return lines + registration(of: models)
    }

    /// The conditions that all share, from the outermost on.
    private static func common(_ conditions: [[String]]) -> [String] {
        guard var common = conditions.first else { return [] }
        for other in conditions { common = zip(common, other).prefix { $0 == $1 }.map(\.0) }
        return common
    }

    /// A name of its own for each class, since a subclass cannot override what an extension declares.
    private func tableName(_ className: String) -> String {
        "_managedKeyPaths_\(Self.identifier(module))_\(Self.identifier(className))"
    }

    private func keyPathTable(
        of className: String, _ properties: [(property: String, conditions: [String])]
    ) -> [String] {
        let outer = Self.common(properties.map(\.conditions))
        var text = ConditionalText()
        for (property, conditions) in properties {
            let name = Spelling.escaped(property)
            text.append(
                ["        paths[\\\(className).\(name)] = \(Spelling.literal(property))"],
                when: Array(conditions.dropFirst(outer.count)))
        }
        text.close()
        return outer.map { "#if \($0)" }
            + [
                "extension \(className) {",
                "    static func \(tableName(className))(_ paths: inout [AnyKeyPath: String]) {",
            ] + text.lines + ["    }", "}"] + outer.map { _ in "#endif" } + [""]
    }

    private static let getterType = "(type: NSManagedObject.Type, key: String, path: AnyKeyPath)"

    private func getterTableName(_ className: String) -> String {
        "_managedGetters_\(Self.identifier(module))_\(Self.identifier(className))"
    }

    private func getterTable(
        of className: String, _ properties: [(property: String, conditions: [String])]
    ) -> [String] {
        let type = Spelling.escaped(className)
        var text = ConditionalText()
        for (property, conditions) in properties {
            let path = "\\\(type).\(Spelling.escaped(property))"
            text.append(
                ["        getters.append((\(type).self, \(Spelling.literal(property)), \(path)))"],
                when: conditions)
        }
        text.close()
        return [
            "extension \(type) {",
            "    static func \(getterTableName(className))(_ getters: inout [\(Self.getterType)]) {",
        ] + text.lines + ["    }", "}", ""]
    }

    /// The property that collects the tables; none where no class has such a getter.
    private func getterList() -> [String] {
        guard !getters.isEmpty else { return [] }
        let function = "(inout [\(Self.getterType)]) -> Void"
        return [
            "    static var getters: [\(Self.getterType)] {",
            "        var getters: [\(Self.getterType)] = []",
            // As for the key paths: naming a getter runs none.
            "        func add(_ table: @MainActor \(function)) {",
            "            withoutActuallyEscaping(table) { unsafeBitCast($0, to: (\(function)).self)(&getters) }",
            "        }",
        ]
            + getters.map {
                "        add(\(Spelling.escaped($0.className)).\(getterTableName($0.className)))"
            } + ["        return getters", "    }"]
    }

    private func type(for model: ModelFile) -> [String] {
        var lines = [
            "/// The model \(model.name).",
            "nonisolated enum _Model_\(Self.identifier(module))_\(Self.identifier(model.name)): BundledModel {",
            "    static var name: String { \(Spelling.literal(model.name)) }",
            "    static var currentVersion: String { \(Spelling.literal(model.currentVersion)) }",
            "    static var classes: any BundledClasses.Type { _ManagedClasses_\(Self.identifier(module)).self }",
            "    static var versions: [(name: String, contents: StaticString)] {",
            "        [",
        ]
        for version in model.versions {
            lines.append(
                "            (\(Spelling.literal(version.name)), \(Spelling.literal(version.contents))),")
        }
        return lines + ["        ]", "    }", "}", ""]
    }

    /// The loader of the system calls what is in this section before `main`; Swift itself has nothing
    /// that runs unasked.
    private func registration(of models: [ModelFile]) -> [String] {
        var lines = [
            "@section(\".init_array\") @used",
            "nonisolated private let _registerManagedClasses: @convention(c) () -> Void = {",
            "    BundledModels.register(_ManagedClasses_\(Self.identifier(module)).self)",
        ]
        for model in models {
            lines.append(
                "    BundledModels.register(_Model_\(Self.identifier(module))_\(Self.identifier(model.name)).self)"
            )
        }
        lines.append("}")
        return lines
    }

    /// Any name as a part of an identifier.
    static func identifier(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            scalar.isASCII && SymbolBuffer.isSymbolCharacter(UInt8(scalar.value)) && scalar != "$"
                ? String(scalar) : "u\(String(scalar.value, radix: 16))_"
        }.joined()
    }
}
