import Foundation

/// The real compiler, for fixtures in a folder of their own.
struct SwiftCompiler {
    /// What a tool said, and whether it was content.
    struct Result {
        var status: Int32
        var output: String
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "generator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("CoreData.swift", Self.fakeCoreData)
        let made = try run(
            "swiftc",
            [
                "-emit-module", "-emit-object", "-parse-as-library", "-swift-version", "6", "-module-name",
                "CoreData",
                "CoreData.swift", "-o", "CoreData.o", "-emit-module-path", "CoreData.swiftmodule",
            ])
        guard made.status == 0 else { throw CompilerFailure(output: made.output) }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Compiles files of a module into one object file.
    func compile(_ files: [String], module: String, options: [String] = []) throws -> String {
        let object = "\(module).o"
        let result = try run(
            "swiftc",
            [
                "-emit-object", "-whole-module-optimization", "-Onone", "-parse-as-library", "-swift-version",
                "6",
                "-I", ".", "-module-name", module, "-emit-module-path", "\(module).swiftmodule", "-o", object,
            ] + options + files)
        guard result.status == 0 else { throw CompilerFailure(output: result.output) }
        return object
    }

    /// The symbols of an object file that begin so, and are of that kind (`U` undefined, `T` defined).
    func symbols(of object: String, kind: Character, prefix: String) throws -> Set<String> {
        let lines = try run("nm", [object]).output.split(separator: "\n")
        return Set(
            lines.compactMap { line in
                let parts = line.split(separator: " ")
                guard parts.count >= 2, parts[parts.count - 2].first == kind else { return nil }
                let name = String(parts[parts.count - 1])
                return name.hasPrefix(prefix) ? name : nil
            })
    }

    func run(_ tool: String, _ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.currentDirectoryURL = folder
        // The compiler leaves files of its own behind: here they go with the fixtures.
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        try FileManager.default.removeItem(at: output)
        return Result(status: process.terminationStatus, output: text)
    }

    /// The members that generated code calls, over a dictionary; the module of the product is tested by
    /// scripts/tests/generator.sh.
    private static let fakeCoreData = """
        @_exported import Foundation
        open class NSManagedObject: NSObject {
            public var values: [String: Any] = [:]
            public func managedValue<Value>(_ key: StaticString, as type: Value.Type = Value.self) -> Value {
                if let value = values["\\(key)"] as? Value { return value }
                if let type = Value.self as? any ExpressibleByNilLiteral.Type, let none = type.init(nilLiteral: ()) as? Value {
                    return none
                }
                fatalError("no value for \\(key)")
            }
            public func setManagedValue<Value>(_ key: StaticString, _ value: Value) { values["\\(key)"] = value }
            public func managedPrimitiveValue<Value>(_ key: StaticString, as type: Value.Type = Value.self) -> Value {
                managedValue(key)
            }
            public func setManagedPrimitiveValue<Value>(_ key: StaticString, _ value: Value) {
                setManagedValue(key, value)
            }
            public func note(_ text: String) { values["log"] = (values["log"] as? [String] ?? []) + [text] }
            public func addManagedObject(_ key: StaticString, _ object: NSManagedObject) { note("add \\(key)") }
            public func removeManagedObject(_ key: StaticString, _ object: NSManagedObject) { note("remove \\(key)") }
            public func addManagedObjects(_ key: StaticString, _ objects: NSSet) { note("add set \\(key)") }
            public func removeManagedObjects(_ key: StaticString, _ objects: NSSet) { note("remove set \\(key)") }
            public func addManagedObjects(_ key: StaticString, _ objects: NSOrderedSet) { note("add ordered \\(key)") }
            public func removeManagedObjects(_ key: StaticString, _ objects: NSOrderedSet) { note("remove ordered \\(key)") }
            public func removeManagedObject(_ key: StaticString, at index: Int) { note("remove \\(key) \\(index)") }
            public func removeManagedObjects(_ key: StaticString, at indexes: NSIndexSet) { note("remove all \\(key)") }
            public func insertManagedObject(_ key: StaticString, _ object: NSManagedObject, at index: Int) {
                note("insert \\(key) \\(index)")
            }
            public func insertManagedObjects(_ key: StaticString, _ objects: [NSManagedObject], at indexes: NSIndexSet) {
                note("insert all \\(key)")
            }
            public func replaceManagedObject(_ key: StaticString, at index: Int, with object: NSManagedObject) {
                note("replace \\(key) \\(index)")
            }
            public func replaceManagedObjects(_ key: StaticString, at indexes: NSIndexSet, with objects: [NSManagedObject]) {
                note("replace all \\(key)")
            }
        }
        public final class NSFetchRequest<Result> {
            public let entityName: String
            public init(entityName: String) { self.entityName = entityName }
        }
        public protocol BundledClasses {
            static var moduleName: String { get }
            static var classes: [String: NSManagedObject.Type] { get }
            static var keyPaths: [AnyKeyPath: String] { get }
        }
        public protocol BundledModel {
            static var name: String { get }
            static var currentVersion: String { get }
            static var versions: [(name: String, contents: StaticString)] { get }
            static var classes: any BundledClasses.Type { get }
        }
        public enum BundledModels {
            nonisolated(unsafe) public static var classes: [any BundledClasses.Type] = []
            nonisolated(unsafe) public static var models: [any BundledModel.Type] = []
            public static func register(_ type: any BundledClasses.Type) { classes.append(type) }
            public static func register(_ type: any BundledModel.Type) { models.append(type) }
        }
        """
}

struct CompilerFailure: Error, CustomStringConvertible {
    var output: String
    var description: String { output }
}
