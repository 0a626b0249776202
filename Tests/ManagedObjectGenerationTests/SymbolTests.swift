import Foundation
import TestSeeds
import Testing

@testable import ManagedObjectGeneration

/// The symbols that generated accessors define are those that the compiler leaves undefined.
@Suite struct SymbolTests {
    /// Generates for these files, and compares with what swiftc makes of them.
    private func compare(
        _ files: [String: String], module: String, compiler: SwiftCompiler, link: Bool = false
    ) throws -> Int {
        for (name, text) in files { try compiler.write(name, text) }
        let names = files.keys.sorted()
        let object = try compiler.compile(names, module: module)
        let undefined = try compiler.symbols(of: object, kind: "U", prefix: "$s")
        var input = ObjectGenerator.Input(
            module: module, sources: names.map { SourceFile(path: $0, text: files[$0] ?? "") })
        input.runtimeModule = "CoreData"
        let output = ObjectGenerator.generate(input)
        #expect(output.diagnostics.filter { $0.severity == .error }.map(\.description) == [])
        let defined = Set(
            output.accessors.split(separator: "\n").compactMap { line -> String? in
                guard let start = line.range(of: "@_silgen_name(\"") else { return nil }
                return String(line[start.upperBound...].dropLast(2))
            })
        let start = try #require(defined.first)
        let prefix = defined.reduce(start) { $0.commonPrefix(with: $1) }
        let own = undefined.filter { $0.hasPrefix(prefix) }
        #expect(own.subtracting(defined).sorted() == [], "the compiler wants what is not generated")
        #expect(defined.subtracting(own).sorted() == [], "generated, but the compiler does not want it")
        try compiler.write("Generated.swift", output.accessors)
        let whole = try compiler.compile(names + ["Generated.swift"], module: module)
        let left = try compiler.symbols(of: whole, kind: "U", prefix: prefix)
        #expect(left.sorted() == [])
        return defined.count
    }

    @Test func everyTypeThatOccurs() throws {
        let compiler = try SwiftCompiler()
        defer { compiler.remove() }
        let count = try compare(
            ["Course.swift": Fixtures.everyType, "Extension Course.swift": Fixtures.extensions],
            module: "CourseModel", compiler: compiler)
        #expect(count > 120)
    }

    @Test(arguments: Seed.some(4)) func randomNamesAndTypes(seed: Seed) throws {
        let compiler = try SwiftCompiler()
        defer { compiler.remove() }
        var random = RandomModule(seed: seed.value)
        let source = random.source(classes: 6, properties: 50)
        let count = try compare(["Random.swift": source], module: random.module, compiler: compiler)
        #expect(count >= 600)
    }

    @Test func fileDiscriminator() {
        // The first vector of RFC 1321 that fits in one block, and one that needs two.
        let text = FileDiscriminator.md5(Array("abc".utf8)).map { String($0, radix: 16) }.joined()
        #expect(text == "90150983cd24fb0d6963f7d28e17f72")
        let long = FileDiscriminator.md5(Array(repeating: UInt8(ascii: "a"), count: 80))
        #expect(long.count == 16)
    }
}
