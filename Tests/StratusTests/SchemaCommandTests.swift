import ArgumentParser
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import SchemaLanguage
import TestSeeds
import Testing

@testable import stratus

/// The commands on a real data directory; what they print goes to the test's own output.
@Suite struct SchemaCommandTests {
    private let directory: TemporaryDirectory
    private var flags: [String] { ["--data", directory.path, "--container", "iCloud.t"] }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: [String]) async throws {
        var command = try Stratus.parseAsRoot(["schema"] + arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    private func schema(_ environment: CloudEnvironment = .development) async throws -> SchemaDocument {
        let store = try SQLiteStore(directory: directory.path, sharing: .shared)
        let tenant = Tenant(container: try ContainerID("iCloud.t"), environment: environment)
        let document = SchemaText.document(of: store.schema(of: tenant))
        await store.close()
        return document
    }

    static let text = """
        DEFINE SCHEMA
            CREATE ROLE Editor;
            RECORD TYPE Note (title STRING QUERYABLE, body ENCRYPTED STRING, GRANT READ, WRITE TO Editor);
        """

    @Test func `From a file to production and back to a file`() async throws {
        let file = try directory.file("in.ckdb", Self.text)
        try await run(["import", "--file", file, "--dry-run"] + flags)
        #expect(try await schema()["Note"] == nil)
        try await run(
            ["import-schema", "--file", file, "--environment", "development", "--team-id", "T"] + flags)
        try await run(["check", file] + flags)
        await #expect(throws: ExitCode.self) {
            try await run(["check", file, "--environment", "production"] + flags)
        }
        try await run(["deploy", "--dry-run"] + flags)
        #expect(try await schema(.production)["Note"] == nil)
        try await run(["deploy"] + flags)
        try await run(["check", file, "--environment", "production", "--json"] + flags)
        let output = directory.path + "/out.ckdb"
        try await run(["export-schema", "--environment", "production", "--output-file", output] + flags)
        let exported = try String(contentsOfFile: output, encoding: .utf8)
        #expect(
            try SchemaDocument(parsing: exported).normalized()
                == SchemaDocument(parsing: Self.text).normalized())
        try await run(["diff"] + flags)
        try await run(["diff", file, output, "--json"])
        try await run(["show", "--json"] + flags)
    }

    @Test func `A text with Users alone makes the container, which can be exported and deployed`()
        async throws
    {
        let file = try directory.file("in.ckdb", "DEFINE SCHEMA\n    RECORD TYPE Users (roles LIST<INT64>);")
        try await run(["import", "--file", file, "--dry-run"] + flags)
        let output = directory.path + "/out.ckdb"
        await #expect(throws: Failure.self, "a dry run makes nothing") {
            try await run(["export", "--output-file", output] + flags)
        }
        try await run(["import", "--file", file] + flags)
        try await run(["deploy"] + flags)
        for environment in CloudEnvironment.allCases {
            try? FileManager.default.removeItem(atPath: output)
            try await run(["export", "--environment", environment.rawValue, "--output-file", output] + flags)
            try await run(["check", output, "--environment", environment.rawValue] + flags)
            #expect(try String(contentsOfFile: output, encoding: .utf8).contains("Users"))
        }
        // The same with no type at all is no schema.
        let empty = try directory.file("empty.ckdb", "DEFINE SCHEMA")
        await #expect(throws: Failure.self) { try await run(["import", "--file", empty] + flags) }
    }

    @Test func `Deploy and diff name a file as import does, and need no consent`() async throws {
        let file = try directory.file("in.ckdb", Self.text)
        try await run(["diff", "--file", file, "--yes"] + flags)
        await #expect(throws: Failure.self, "development is not what the file says") {
            try await run(["deploy", "--yes", "--file", file] + flags)
        }
        #expect(try await schema(.production)["Note"] == nil)
        try await run(["import", "--file", file, "--yes"] + flags)
        try await run(["deploy", "--file", file, "--yes"] + flags)
        #expect(try await schema(.production)["Note"] != nil)
        try await run(["diff", "production", "--file", file, "--json"] + flags)
        #expect(throws: (any Error).self) {
            try SchemaDiffCommand.parse(["development", "production", "--file", file] + flags)
        }
    }

    @Test func `What would be lost needs consent, what production has stays`() async throws {
        let file = try directory.file("in.ckdb", Self.text)
        let empty = try directory.file("empty.ckdb", "DEFINE SCHEMA")
        try await run(["import", "--file", file] + flags)
        let store = try SQLiteStore(directory: directory.path, sharing: .shared)
        let tenant = Tenant(container: try ContainerID("iCloud.t"), environment: .development)
        try await store.write { store in
            let type = try store.makeType(named: "Note", tenant: tenant)
            let database = try store.makeDatabase(DatabaseID(tenant: tenant, owner: nil))
            let zone = try #require(try store.zone(named: ZoneID.defaultName, in: database))
            try store.insert(
                NewRecord(
                    zone: zone, type: type, name: "a", sequence: try store.nextSequence(), createdBy: "_a",
                    createdAt: 0, modifiedBy: "_a", modifiedAt: 0, parent: nil, fields: [], references: [],
                    body: Array(#"{"recordName":"a","recordType":"Note","fields":{}"#.utf8)))
        }
        await store.close()
        let failure = await #expect(throws: Failure.self) {
            try await run(["import", "--file", empty] + flags)
        }
        #expect(failure?.sentence.contains("- record type Note (1 record of the type)") == true)
        #expect(failure?.remedy?.hasSuffix("--yes") == true)
        await #expect(throws: Failure.self) { try await run(["reset"] + flags) }
        try await run(["reset", "--dry-run"] + flags)
        #expect(try await schema()["Note"] != nil)
        try await run(["deploy"] + flags)
        let refusal = await #expect(throws: Failure.self) {
            try await run(["import", "--file", empty, "--yes"] + flags)
        }
        #expect(refusal?.sentence.contains("Production has the record type Note") == true)
        try await run(["reset-schema", "--yes", "--environment", "development"] + flags)
        #expect(try await schema() == schema(.production))
        await #expect(throws: Failure.self) {
            try await run(["import", "--file", file, "--environment", "production"] + flags)
        }
    }

    @Test func `What a dry run showed is done, or nothing`() async throws {
        let file = try directory.file("in.ckdb", Self.text)
        let tenant = Tenant(container: try ContainerID("iCloud.t"), environment: .development)
        let store = try SQLiteStore(directory: directory.path, sharing: .shared)
        let document = try SchemaDocument(parsing: Self.text)
        let shown = try await store.read(.long) {
            try SchemaText.importPlan(document, container: tenant.container, reader: $0).digest
        }
        // An operator makes a type before the text is imported, and another one before it is deployed.
        try await store.write { _ = try $0.makeType(named: "Late", tenant: tenant) }
        let failure = await #expect(throws: Failure.self) {
            try await run(["import", "--file", file, "--plan", shown, "--yes"] + flags)
        }
        #expect(failure?.sentence.contains("than --dry-run showed") == true)
        #expect(try await schema()["Late"] != nil)
        try await store.write { store in
            guard let type = try store.schema(of: tenant).types["Late"] else { return }
            try store.removeType(type, tenant: tenant)
        }
        try await run(["import", "--file", file, "--plan", shown] + flags)
        #expect(try await schema()["Note"] != nil)
        // The writing side looks at what other processes changed, at each write.
        let development = try await store.write { try $0.schema(of: tenant) }
        let changes = try SchemaDeployment.changes(from: development, to: Schema())
        let digest = SchemaDeployment.digest(of: changes)
        try await store.write { _ = try $0.makeType(named: "Late", tenant: tenant) }
        await #expect(throws: SchemaPreviewOutdated.self) {
            try await run(["deploy", "--plan", digest] + flags)
        }
        #expect(try await schema(.production)["Note"] == nil)
        try await store.write { store in
            guard let type = try store.schema(of: tenant).types["Late"] else { return }
            try store.removeType(type, tenant: tenant)
        }
        try await run(["deploy", "--plan", digest] + flags)
        #expect(try await schema(.production)["Note"] != nil)
        await store.close()
    }

    @Test func `Validation tells of each file`() async throws {
        let good = try directory.file(
            "good.ckdb", "\u{FEFF}" + Self.text.replacingOccurrences(of: "\n", with: "\r\n"))
        try await run(["validate", good])
        try await run(["validate-schema", "--file", good, "--team-id", "T", "--container-id", "iCloud.t"])
        let bad = try directory.file("bad.ckdb", "DEFINE SCHEMA RECORD TYPE A (x DATE);")
        await #expect(throws: ExitCode.self) { try await run(["validate", directory.path, "--json"]) }
        await #expect(throws: ExitCode.self) { try await run(["validate", good, bad]) }
        let failure = await #expect(throws: Failure.self) {
            try await run(["import", "--file", bad] + flags)
        }
        #expect(failure?.sentence.contains("bad.ckdb:1:32: There is no type 'DATE'") == true)
        await #expect(throws: Failure.self) { try await run(["validate", directory.path + "/none.ckdb"]) }
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: directory.path + "/binary"))
        await #expect(throws: Failure.self) { try await run(["validate", directory.path + "/binary"]) }
        #expect(throws: (any Error).self) { try SchemaValidateCommand.parse([]) }
    }

    @Test func `A folder is checked file by file`() throws {
        let folder = directory.path + "/apps"
        for name in ["one", "two", ".hidden"] {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        let good = try directory.file("apps/one/good.ckdb", Self.text)
        _ = try directory.file("apps/one/.ckdb.swp", "not looked at")
        _ = try directory.file("apps/.hidden/old.ckdb", "not looked at")
        _ = try directory.file("apps/notes.txt", "not looked at")
        let bad = try directory.file("apps/two/BAD.CKDB", "DEFINE SCHEMA RECORD TYPE A (x DATE);")
        let binary = folder + "/two/binary.ckdb"
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: binary))
        let files = try SchemaFile.paths([folder + "/", good])
        #expect(files == [good, bad, binary, good])

        let read = try files.prefix(2).map { try SchemaFileResult(path: $0) }
        #expect(read.map(\.isValid) == [true, false])
        #expect(read[0].text == "✓ \(good): Schema is valid.")
        #expect(
            read[1].text.hasPrefix("✗ \(bad): Schema is not valid.\n\(bad):1:32: There is no type 'DATE'"))
        let failure = try #require(throws: Failure.self) { try SchemaFileResult(path: binary) }
        let unreadable = SchemaFileResult(path: binary, outcome: .unreadable(failure))
        #expect(unreadable.text == "✗ \(binary): The file \(binary) is not UTF-8 text.")
        let json = try JSONSerialization.jsonObject(
            with: Data(JSONWriter.text { $0.results(read + [unreadable]) }))
        let entries = try #require(json as? [[String: Any]])
        #expect(entries.map { $0["valid"] as? Bool } == [true, false, false])
        #expect(entries[0]["recordTypes"] as? Int == 1)
        #expect((entries[1]["errors"] as? [[String: Any]])?.first?["line"] as? Int == 1)
        #expect((entries[2]["reason"] as? String)?.contains("UTF-8") == true)
    }

    @Test func `One bad file in a folder fails the check, and none passes it`() async throws {
        let good = try directory.file("good.ckdb", Self.text)
        try await run(["validate", directory.path])
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: directory.path + "/binary.ckdb"))
        for flags in [[], ["--json"]] {
            let code = await #expect(throws: ExitCode.self) {
                try await run(["validate", directory.path, good] + flags)
            }
            #expect(code == ExitCode(Failure.failureCode))
        }
    }
}
