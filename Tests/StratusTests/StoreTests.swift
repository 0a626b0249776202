import DemoData
import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSeeds
import Testing

@testable import stratus

@Suite struct StoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/data" }

    init() throws { directory = try TemporaryDirectory() }

    @Test func usersAndTokens() async throws {
        let store = try SQLiteStore(directory: path, sharing: .shared)
        let tenant = Tenant(container: try ContainerID("iCloud.x"), environment: .production)
        let ada = try await Users.add("ada", to: tenant, store: store, environment: .system)
        #expect(ada.recordName.count == 33 && ada.recordName.first == "_")
        await #expect(throws: ServiceError.self) {
            try await Users.add("ada", to: tenant, store: store, environment: .system)
        }
        await #expect(throws: ServiceError.self) { try await Users.find("bob", in: tenant, store: store) }
        #expect(try await Users.find(ada.recordName, in: tenant, store: store) == ada)
        let api = try await Tokens.create(
            tenant: tenant, user: nil, label: "app", lifetimeMilliseconds: nil, store: store,
            environment: .system)
        let web = try await Tokens.create(
            tenant: tenant, user: ada, label: "",
            lifetimeMilliseconds: Lifetime(argument: "1h")?.milliseconds,
            store: store, environment: .system)
        #expect(web.row.expiresAt == web.row.createdAt + 3_600_000)
        let listed = try await store.read(.short) { try $0.identifiedTokens(of: tenant) }
        #expect(Set(listed.map(\.row)) == [api.row, web.row])
        _ = try await Tokens.revoke(
            Tokens.identifier(of: AccessToken.digest(web.token)), of: tenant, store: store)
        _ = try await Tokens.revoke(api.token, of: tenant, store: store)
        await #expect(throws: ServiceError.self) {
            try await Tokens.revoke(api.token, of: tenant, store: store)
        }
        #expect(try await store.read(.short) { try $0.identifiedTokens(of: tenant).isEmpty })
        await store.close()
    }

    private func demo() async throws -> LocalTransport {
        let transport = try await LocalTransport(directory: path)
        let data = try DemoData(
            DemoFolder.files(named: nil), playerCount: 500, postCount: 300, restaurantCount: 20)
        let seeder = DemoSeeder(service: transport.service, data: data, console: MemoryConsole().console())
        #expect(try await seeder.fill() == 820)
        #expect(try await seeder.fill() == 0)
        return transport
    }

    @Test func theDemoFillsInOnce() async throws {
        let transport = try await demo()
        #expect(try await transport.count("Player") == 500)
        #expect(try await transport.count("Post") == 300)
        #expect(try await transport.count("Player", "level >= 90 OR (city == 'Lisbon' AND rating > 1)") > 0)
        await transport.store.close()
    }

    /// A directory that was filled before there were pictures gets them, and no picture that somebody took away
    /// is drawn over another one.
    @Test func theDemoAddsMissingPictures() async throws {
        let transport = try await demo()
        let before = try await transport.records("Restaurant")
        #expect(before.count == 20)
        #expect(before.allSatisfy { $0.image != nil })
        let without = before.prefix(3).map { record in
            var input = RecordInput(recordName: record.recordName, recordType: "Restaurant")
            input.fields = [("image", WireField(value: .null))]
            return RecordOperation(.forceUpdate, input)
        }
        _ = try await transport.client().send(
            .recordsModify, RecordsModifyRequest(operations: without, atomic: false))
        #expect(try await transport.records("Restaurant").count { $0.image == nil } == 3)
        let data = try DemoData(
            DemoFolder.files(named: nil), playerCount: 500, postCount: 300, restaurantCount: 20)
        try await DemoSeeder(service: transport.service, data: data, console: MemoryConsole().console())
            .fill()
        let after = try await transport.records("Restaurant")
        #expect(after.allSatisfy { $0.image != nil })
        #expect(
            Set(after.compactMap { $0.image?.fileChecksum })
                == Set(before.compactMap { $0.image?.fileChecksum }))
        await transport.store.close()
    }

    @Test func aFolderThatIsNoneIsNotServed() throws {
        let folder = try directory.file("site.html")
        for path in [directory.path + "/nothing", folder] {
            let settings = try ServerSettings.resolve(flags: [Settings.site.key: path], environment: [:])
            #expect(throws: Failure.self) { try StaticSites.all(of: settings, apps: []) }
        }
        let settings = try ServerSettings.resolve(
            flags: [Settings.site.key: directory.path], environment: [:])
        #expect(try StaticSites.all(of: settings, apps: []).map(\.prefix) == [""])
    }

    @Test func theGuideNamesAppsThatAreThere() throws {
        let directory = try TemporaryDirectory()
        for name in ["Discover", "players", "Without", "bad name", ".git"] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + name, withIntermediateDirectories: true)
            if name != "Without" { _ = try directory.file(name + "/index.html", "<p>") }
        }
        let apps = try AppFolder.all(in: directory.path)
        #expect(apps.map(\.prefix) == ["/apps/discover", "/apps/players"])
        let guide = DemoGuide(address: "http://h:1", apps: apps, coursesURL: "http://h:2")
        for line in ["http://h:1/apps/discover/", "http://h:1/apps/players/", "http://h:2"] {
            #expect(try guide.text().contains(line + "\n"))
        }
        let plain = try DemoGuide(address: "http://h:1").text()
        #expect(plain.contains("http://h:1/console/") && !plain.contains("/apps/"))
    }

    @Test func theGuidesRequestsAreJSON() throws {
        let text = try DemoGuide(address: "http://h:1").text()
        #expect(
            text.contains(
                "http://h:1/database/1/iCloud.stratus.demo/development/public/records/query?ckAPIToken="))
        let bodies = text.matches(of: /-d '(\{.*?\})'/).map { String($0.1) }
        #expect(bodies.count >= 2)
        for body in bodies where !body.contains("$MARKER") {
            let object = try #require(try JSONReader.read(Array(body.utf8)).object)
            _ = try RecordsQueryRequest(json: object)
        }
    }

    @Test func aGoodStoreHasNoProblems() async throws {
        let transport = try await demo()
        #expect(StoreInspection.isServed(directory: path))
        await transport.store.close()
        #expect(!StoreInspection.isServed(directory: path))
        let findings = try StoreInspection.run(directory: path, depth: .init(checksIndexes: true))
        #expect(findings.filter { $0.severity != .good } == [])
        #expect(try StoreRepair.run(directory: path) == [])
        let outside = DirectoryInspection(directory: path).findings()
        #expect(outside.allSatisfy { $0.severity != .problem })
        #expect(DirectoryInspection(directory: path + "/no").findings().first?.severity == .problem)
    }

    private func damage(_ sql: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])",
            path + "/" + SQLiteStore.fileName, sql,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test(arguments: [
        ("DELETE FROM r1 WHERE name = 'player-0000007'", "directory"),
        ("DELETE FROM directory WHERE name = 'player-0000008'", "directory"),
        ("UPDATE meta SET value = 3 WHERE key = 'sequence'", "sequence"),
        ("INSERT INTO reference VALUES (1, 'a', 'nobody', 'f', 'validate')", "references"),
        ("INSERT INTO automatic_index (name, type, shape) VALUES ('auto_1_9', 1, 'c1')", "indexes"),
        ("CREATE INDEX auto_1_77 ON r1 (zone, c1)", "indexes"),
        ("INSERT INTO directory VALUES (99, 'x', 1, 5, 1, 0, 1)", "directory"),
    ])
    func whatIsWrongIsFoundAndMended(sql: String, check: String) async throws {
        await (try demo()).store.close()
        try damage(sql)
        let found = try StoreInspection.run(directory: path).filter { $0.severity != .good }
        #expect(found.map(\.check) == [check])
        #expect(found.allSatisfy { $0.isRepairable && $0.remedy != nil })
        #expect(try StoreRepair.run(directory: path).count == 1)
        #expect(try StoreInspection.run(directory: path).filter { $0.severity != .good } == [])
        // The store still opens and answers.
        let transport = try await LocalTransport(directory: path)
        #expect(try await transport.count("Player", "level > 0") >= 499)
        await transport.store.close()
    }

    @Test(arguments: [
        (
            "UPDATE b1 SET body = CAST('nonsense' AS BLOB) WHERE id = (SELECT id FROM r1 WHERE name = 'player-0000003')",
            // A shorter body takes less room than is counted for it.
            ["bodies", "usage"]
        ),
        ("UPDATE r1 SET c4 = -1 WHERE name = 'player-0000003'", ["bodies"]),
    ])
    func bodiesThatContradictAreFound(sql: String, checks: [String]) async throws {
        await (try demo()).store.close()
        try damage(sql)
        let found = try StoreInspection.run(directory: path).filter { $0.severity != .good }
        #expect(found.map(\.check) == checks)
        #expect(found.first?.message.contains("player-0000003") == true)
    }

    @Test(arguments: ["", "no database at all, but long enough to be looked at as one by SQLite itself\n"])
    func aForeignFileIsAProblemWithARemedy(text: String) throws {
        let file = try directory.file(SQLiteStore.fileName, String(repeating: text, count: 100))
        let found = try StoreInspection.run(directory: directory.path).filter { $0.severity == .problem }
        #expect(found.map(\.check) == [text.isEmpty ? "layout" : "integrity"])
        #expect(found.first?.message.contains(file) == true)
        #expect(found.first?.remedy?.contains("backup") == true)
    }

    @Test func lookingMakesNoFiles() throws {
        _ = DirectoryInspection(directory: directory.path).findings()
        #expect(!StoreInspection.isServed(directory: directory.path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        // A lock that cannot be opened is no server.
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/stratus.lock", withDestinationPath: "stratus.lock")
        #expect(!StoreInspection.isServed(directory: directory.path))
    }

    @Test func aFileIsNoDirectory() throws {
        let finding = DirectoryInspection(directory: try directory.file("x")).findings().first
        #expect(finding?.message.contains("is a file") == true)
    }

    @Test func aMissingSecretBesideRecordsIsAWarning() async throws {
        await (try demo()).store.close()
        func secret(_ hasSecret: Bool) -> StoreFinding? {
            DirectoryInspection(directory: path, hasSecret: hasSecret).findings()
                .first { $0.check == "secret" }
        }
        #expect(secret(false)?.severity == .warning)
        #expect(secret(false)?.remedy?.contains("stratus.secret") == true)
        #expect(secret(true)?.severity == .good)
        _ = try ServerSecret.key(in: path)
        #expect(secret(false)?.severity == .good)
    }

    @Test func repairNeedsTheServerStopped() async throws {
        let transport = try await demo()
        #expect(throws: StorageError.self) { try StoreRepair.run(directory: path) }
        await transport.store.close()
    }
}

extension RecordDictionary {
    /// The picture of a restaurant.
    fileprivate var image: Asset? {
        guard case .asset(let asset)? = fields["image"] else { return nil }
        return asset
    }
}
