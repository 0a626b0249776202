import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

@testable import RecordEngine

/// Types and fields that were deleted with their values, and brought back.
@Suite(.serialized) struct RemovedPartTests {
    static let text = """
        DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, size INT64 SORTABLE, secret ENCRYPTED STRING);
        RECORD TYPE Other (a STRING);
        """
    static let places =
        [(nil, ZoneID.defaultName), ("_one", ZoneID.defaultName), ("_one", "Zone")]
        as [(String?, String)]
    static let keeping = RemovalKeeping(days: 30, now: { 1_000_000 })

    static func tenant() throws -> Tenant {
        Tenant(container: try ContainerID("iCloud.test"), environment: .development)
    }

    static func record(
        _ name: String, title: String, size: Int?, at time: Int = 1
    ) throws -> IncomingRecord {
        let stamp = #"{"timestamp":\#(time),"userRecordName":"_ada","deviceID":"d"}"#
        let size = size.map { #","size":{"value":\#($0),"type":"INT64"}"# } ?? ""
        let text =
            #"{"recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)","type":"STRING"}\#(size),"#
            + #""secret":{"value":"s\#(name)","type":"STRING","isEncrypted":true}},"created":\#(stamp),"modified":\#(stamp)}"#
        let object = try #require(try JSONReader.read(Array(text.utf8)).object)
        return try IncomingRecord(json: object)
    }

    /// A store with so many notes in each place.
    static func fill(_ store: any RecordStore, _ count: Int) async throws {
        let document = try SchemaDocument(parsing: text)
        _ = try await SchemaText.importSchema(
            document, container: tenant().container, allowsLoss: false, store: store)
        for (owner, zone) in places {
            try await take(
                (0..<count).map { try record("n\($0)", title: "t\($0)", size: $0 % 5 == 4 ? nil : $0) },
                owner,
                zone, store)
        }
    }

    static func take(
        _ records: [IncomingRecord], _ owner: String?, _ zone: String, _ store: any RecordStore
    ) async throws {
        let intake = RecordIntake(
            store: store, database: DatabaseID(tenant: try tenant(), owner: owner), now: { 5 })
        let outcome = try await intake.take(records, into: zone)
        #expect(outcome.refusals.isEmpty)
    }

    /// All notes as texts.
    static func notes(_ store: any RecordStore) async throws -> [String: String] {
        var found: [String: String] = [:]
        for (owner, zone) in places {
            let outlet = RecordOutlet(store: store, database: DatabaseID(tenant: try tenant(), owner: owner))
            var position: ScanCursor?
            repeat {
                let page = try await outlet.page(ofType: "Note", in: zone, after: position, limit: 300)
                for record in page.records {
                    found["\(owner ?? "-")/\(zone)/\(record.recordName)"] = String(
                        decoding: record.json(isSorted: true), as: UTF8.self)
                }
                position = page.next
            } while position != nil
        }
        return found
    }

    static func schemaText(_ store: any RecordStore) throws -> String {
        SchemaText.document(of: store.schema(of: try tenant())).description
    }

    static func parts(
        _ store: any RecordStore, _ tenant: Tenant? = nil
    ) async throws -> [RemovedPart] {
        let tenant = try tenant ?? self.tenant()
        return try await store.read(.short) { try RemovedParts.all(of: tenant, reader: $0) }
    }

    static func remove(_ field: String?, _ store: any RecordStore) async throws {
        try await SchemaText.edit("Note", container: tenant().container, store: store, keeping: keeping) {
            guard let field else { return nil }
            var type = try #require($0)
            type.fields.removeAll { $0.name == field }
            return type
        }
    }

    // Some, and more than are kept in one write.
    @Test(arguments: StoreEngine.allCases, [7, 250])
    func `A type comes back with its definition and its records`(_ engine: StoreEngine, _ count: Int)
        async throws
    {
        try await engine.run { store in
            try await Self.fill(store, count)
            let (before, text) = (try await Self.notes(store), try Self.schemaText(store))
            try #require(before.count == 3 * count)
            try await Self.remove(nil, store)
            #expect(try await Self.notes(store).isEmpty)
            #expect(try !Self.schemaText(store).contains("Note") && !Self.schemaText(store).contains("~"))
            let part = try #require(try await Self.parts(store).first)
            #expect(part.title == "Note" && part.field == nil && part.days == 30)
            #expect(part.endsAt == 1_000_000 + 30 * 86_400_000)
            // What is there by now stays as it is: an app has made the type again, with a record.
            let isMade = count == 7
            if isMade {
                try await Self.take(
                    [try Self.record("n0", title: "new", size: nil)], nil, "_defaultZone", store)
            }
            let outcome = try await RemovedParts.bringBack("Note", in: try Self.tenant(), store: store)
            #expect(outcome.records == 3 * count - (isMade ? 1 : 0) && outcome.refusals == [])
            #expect(outcome.passedOver == (isMade ? 1 : 0))
            var after = try await Self.notes(store)
            #expect(after["-/_defaultZone/n0"]?.contains("new") == isMade)
            after["-/_defaultZone/n0"] = before["-/_defaultZone/n0"]
            #expect(after == before)
            #expect(try await Self.parts(store).isEmpty)
            // Its definition is what it was, unless it was made again.
            #expect(try Self.schemaText(store) == text || isMade)
        }
    }

    @Test(arguments: StoreEngine.allCases, [7, 250])
    func `A field comes back with its values, where there are none by now`(
        _ engine: StoreEngine, _ count: Int
    ) async throws {
        try await engine.run { store in
            try await Self.fill(store, count)
            let (before, text) = (try await Self.notes(store), try Self.schemaText(store))
            try await Self.remove("size", store)
            #expect(try !Self.schemaText(store).contains("size"))
            #expect(try await Self.notes(store).values.allSatisfy { !$0.contains("size") })
            #expect(try await Self.parts(store).map(\.title) == ["Note.size"])
            // One is changed meanwhile, and one goes.
            try await Self.take(
                [try Self.record("n1", title: "changed", size: nil, at: 9)], nil, "_defaultZone", store)
            let intake = RecordIntake(
                store: store, database: DatabaseID(tenant: try Self.tenant(), owner: nil), now: { 5 })
            #expect(try await intake.delete(["n2"], from: "_defaultZone") == 1)
            let outcome = try await RemovedParts.bringBack("Note.size", in: try Self.tenant(), store: store)
            // One in five has none.
            let some = (0..<count).count { $0 % 5 != 4 }
            #expect(outcome.records == 3 * some - 1 && outcome.passedOver == 1 && outcome.refusals == [])
            var after = try await Self.notes(store)
            let changed = try #require(after["-/_defaultZone/n1"])
            #expect(changed.contains("changed") && changed.contains(#""size":{"value":1"#), "\(changed)")
            after["-/_defaultZone/n1"] = before["-/_defaultZone/n1"]
            #expect(after["-/_defaultZone/n2"] == nil)
            after["-/_defaultZone/n2"] = before["-/_defaultZone/n2"]
            #expect(after == before)
            #expect(try await Self.parts(store).isEmpty && Self.schemaText(store) == text)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `What changes between the keeping and the deletion is kept as it is then`(_ engine: StoreEngine)
        async throws
    {
        try await engine.run { store in
            try await Self.fill(store, 220)
            let tenant = try Self.tenant()
            let document = SchemaText.document(of: store.schema(of: tenant))
            var target = document
            target.types.removeAll { $0.name == "Note" }
            let changes = SchemaDiff(from: document, to: target).changes
            let work = RemovalWork(store, tenant, Self.keeping)
            let prepared = try await work.prepare(changes)
            #expect(prepared.values.first?.count == 660)
            try await Self.take(
                [
                    try Self.record("n7", title: "late", size: 70, at: 9),
                    try Self.record("fresh", title: "fresh", size: 1),
                ], "_one", "Zone", store)
            let before = try await Self.notes(store)
            try await store.write { store in
                try work.finish(changes, prepared, in: store)
                try SchemaWriting(store: store, tenant: tenant).apply(changes)
            }
            #expect(try await Self.notes(store).isEmpty)
            _ = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            #expect(try await Self.notes(store) == before)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `What stands in the way is told, and nothing is lost by it`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            try await Self.fill(store, 7)
            let tenant = try Self.tenant()
            try await Self.remove("size", store)
            try await Self.remove(nil, store)
            let orphan = await #expect(throws: ServiceError.self) {
                try await RemovedParts.bringBack("Note.size", in: tenant, store: store)
            }
            #expect(orphan?.code == .conflict)
            _ = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            try await SchemaText.edit("Note", container: tenant.container, store: store) {
                var type = try #require($0)
                type.fields.append(SchemaField(name: "size", type: DeclaredType(FieldType(.string))))
                return type
            }
            let other = await #expect(throws: ServiceError.self) {
                try await RemovedParts.bringBack("Note.size", in: tenant, store: store)
            }
            #expect(other?.code == .conflict)
            try await SchemaText.edit("Note", container: tenant.container, store: store) {
                var type = try #require($0)
                type.fields.removeAll { $0.name == "size" }
                return type
            }
            #expect(try await RemovedParts.bringBack("Note.size", in: tenant, store: store).records == 18)
            // For good.
            try await Self.remove("title", store)
            try await RemovedParts.purge("Note.title", in: tenant, store: store)
            await #expect(throws: ServiceError.self) {
                try await RemovedParts.bringBack("Note.title", in: tenant, store: store)
            }
            // Without records there is nothing to keep.
            try await SchemaText.edit(
                "Other", container: tenant.container, store: store, keeping: Self.keeping
            ) { _ in nil }
            #expect(try await Self.parts(store).isEmpty)
        }
    }

    @Test func `Files come back, and after the days nothing is left`() async throws {
        try await TestCloud.run { cloud in
            let receipt = try await cloud.upload(Array("file".utf8))
            try await cloud.save("r", file: receipt)
            let tenant = Tenant(container: cloud.container, environment: .development)
            let start = cloud.wait(milliseconds: 1)
            func remove() async throws {
                let now = cloud.wait(milliseconds: 1)
                try await SchemaText.edit(
                    "Photo", container: cloud.container, store: cloud.store,
                    keeping: RemovalKeeping(days: 2, now: { now })
                ) { _ in nil }
            }
            try await remove()
            #expect(start > 0)
            for _ in 0..<2 {
                _ = try await cloud.service.sweepAssets()
                try await cloud.service.sweepVersions()
                cloud.wait(milliseconds: 23 * 3_600_000)
            }
            // Apps cannot ask for it, whatever they call it.
            let hidden = try #require(
                cloud.schema(.development).types.keys.first { $0.hasPrefix("~") })
            let answer = try await cloud.send(.recordsVersions, ["recordType": .string(hidden)])
            #expect(answer.json["versions"].elements.isEmpty)
            let back = try await RemovedParts.bringBack("Photo", in: tenant, store: cloud.store)
            #expect(back.records == 1)
            let record = try #require(try await cloud.record("r"))
            let address = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(address) == Array("file".utf8))
            try await remove()
            cloud.wait(milliseconds: 2 * 86_400_000 - 60_000)
            try await cloud.service.sweepVersions()
            #expect(cloud.schema(.development).types.keys.contains { $0.hasPrefix("~") })
            cloud.wait(milliseconds: 120_000)
            try await cloud.service.sweepVersions()
            #expect(!cloud.schema(.development).types.keys.contains { $0.hasPrefix("~") })
            let usage = try await cloud.store.read(.short) { reader in
                try reader.databases(of: tenant).map { try reader.versionUsage(of: $0) }
            }
            #expect(usage.allSatisfy { $0.versions == 0 && $0.bytes == 0 })
        }
    }
}
