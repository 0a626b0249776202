import AssetStorageFiles
import Crypto
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSeeds
import TestSupport
import Testing

@testable import RecordTransfer

/// Somebody takes along what is theirs and goes: nothing of it stays, and nothing of anybody else changes.
@Suite(.serialized) struct AccountDepartureTests {
    /// A line of an export: where a record is, and what it says.
    private struct Line {
        let environment: String
        let owner: String?
        let name: String
        let creator: String
        let text: String

        init(_ text: String, _ environment: String) throws {
            let json = try #require(try JSONReader.read(Array(text.utf8)).object)
            let record = try #require(try json.object("record"))
            self.text = text
            self.environment = environment
            owner = try json.string("owner")
            name = try record.requiredString("recordName")
            creator = try #require(try record.object("created")).requiredString("userRecordName")
        }
    }

    /// A store whose writes stop after some, as a process does that is killed between two.
    private struct StoppingStore: RecordStore {
        let base: any RecordStore
        let left: Counter

        final class Counter: Sendable {
            let count: Mutex<Int>
            init(_ count: Int) { self.count = Mutex(count) }
        }
        struct Stopped: Error {}

        func write<Value: Sendable>(
            _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
        ) async throws -> Value {
            let isOver = left.count.withLock { left in
                left -= 1
                return left < 0
            }
            guard !isOver else { throw Stopped() }
            return try await base.write(effort, body)
        }
        func read<Value: Sendable>(
            _ effort: ReadEffort, for party: ReadParty,
            _ body: @escaping @Sendable (any StoreReader) throws -> Value
        ) async throws -> Value { try await base.read(effort, for: party, body) }
        func schema(of tenant: Tenant) -> Schema { base.schema(of: tenant) }
        func effort(of scan: RecordScan) -> ReadEffort { base.effort(of: scan) }
        func explain(_ scan: RecordScan) -> ScanExplanation { base.explain(scan) }
        func makeIndex(for scan: RecordScan) async throws { try await base.makeIndex(for: scan) }
        var health: StoreHealth { base.health }
        var backgroundWork: BackgroundWork { base.backgroundWork }
        func close() async {}
    }

    private static func lines(
        _ container: ContainerID, _ store: any RecordStore, _ files: any AssetStore, _ path: String
    ) async throws -> [Line] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try await ContainerExport(container, store: store, assets: files).run(to: path)
        return try CloudEnvironment.allCases.flatMap { environment in
            let file = "\(path)/\(environment.rawValue)/\(ContainerPaths.records)"
            let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
            return try (text ?? "").split(separator: "\n").map {
                try Line(String($0), environment.rawValue)
            }
        }
    }

    /// `_one` made all records of the container, `_two` was the last to change each.
    @Test(
        arguments: StoreEngine.allCases.flatMap { engine in
            [("_one", true), ("_one", false), ("_two", true)].map { (engine, $0.0, $0.1) }
        }, Seed.some(3))
    func `Nothing of somebody who left is there, and all else is as it was`(
        _ choice: (engine: StoreEngine, user: String, removes: Bool), _ seed: Seed
    ) async throws {
        let home = try TemporaryDirectory()
        let container = try ContainerID("iCloud.departure")
        var world = RandomContainer(random: seed.random, container: container)
        let files = try FileAssetStore(directory: home.path + "/files")
        let clock = Mutex<Int64>(10_000)
        let now: @Sendable () -> Int64 = {
            clock.withLock { time in
                time += 1
                return time
            }
        }
        try await choice.engine.run { store in
            try await world.fill(CopyTarget(store: store, files: files, now: { 7_000 }))
            let tenants = try await store.read(.short) { try $0.tenants() }
            let account = AccountRow(id: "id", address: "leaving@example.org", createdAt: 1)
            try await store.write { store in
                try store.store(account)
                for tenant in tenants {
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: choice.user, label: account.address, createdAt: 1,
                            account: account.id))
                    try store.insert(
                        TokenRow(
                            kind: .web, tenant: tenant, user: choice.user, label: "", createdAt: 1,
                            expiresAt: nil), digest: Array("\(tenant)".utf8))
                }
            }
            let before = try await Self.lines(container, store, files, home.path + "/before")
            try await Self.checkArchive(account, choice.user, store, files, before)

            try await AccountList.remove(
                account.address, publicRecords: choice.removes ? .remove : .keep, now: now(), store: store)
            // It is stopped again and again, later each time.
            var steps = 1
            while true {
                do {
                    let stopping = StoppingStore(base: store, left: .init(steps))
                    for row in try await Erasures.waiting(in: store) {
                        _ = try await Erasures.run(row, in: stopping, now: now)
                    }
                    break
                } catch is StoppingStore.Stopped { steps += 1 }
            }
            #expect(try await Erasures.waiting(in: store).count == tenants.count)
            clock.withLock { $0 += Erasures.graceMilliseconds }
            for row in try await Erasures.waiting(in: store) {
                #expect(try await Erasures.run(row, in: store, now: now) == Erasures.Report())
            }
            #expect(try await Erasures.waiting(in: store).isEmpty)

            let after = try await Self.lines(container, store, files, home.path + "/after")
            Self.compare(before, after, choice.user, removes: choice.removes)
            try await store.read(.short) { store throws in
                #expect(try store.account(account.id) == nil)
                // What decides rights says what the record says.
                for line in after where line.owner == nil {
                    let tenant = try #require(tenants.first { $0.environment.rawValue == line.environment })
                    let database = try #require(try store.database(DatabaseID(tenant: tenant, owner: nil)))
                    let zone = try #require(try store.zone(named: ZoneID.defaultName, in: database))
                    #expect(
                        try store.origin(ofRecordNamed: line.name, in: zone.id)?.createdBy == line.creator)
                }
                for tenant in tenants {
                    #expect(try store.user(named: choice.user, of: tenant) == nil)
                    #expect(try store.token(digest: Array("\(tenant)".utf8)) == nil)
                    let database = try store.database(DatabaseID(tenant: tenant, owner: choice.user))
                    guard let database else { continue }
                    #expect(try store.zones(in: database).allSatisfy { !$0.isTracked })
                    #expect(try store.usage(of: database).records == 0)
                    #expect(try store.usage(of: database).assetBytes == 0)
                }
            }
        }
    }

    private static func compare(_ before: [Line], _ after: [Line], _ user: String, removes: Bool) {
        let found = Dictionary(
            after.map { ([$0.environment, $0.owner ?? "", $0.text.zone, $0.name], $0) },
            uniquingKeysWith: { first, _ in first })
        #expect(found.count == after.count)
        var expected = 0
        for line in before {
            let now = found[[line.environment, line.owner ?? "", line.text.zone, line.name]]
            if line.owner == user {
                #expect(now == nil, "\(line.text) is still there")
            } else if line.owner != nil {
                // Other people's databases are theirs.
                #expect(now?.text == line.text)
                expected += 1
            } else if line.creator == user, removes {
                // Only a record that everybody may change can hold another one back.
                if now != nil { expected += 1 }
                #expect(now?.text.contains("\"userRecordName\":\"\(user)\"") != true)
            } else {
                let text = line.text.replacing(
                    "\"userRecordName\":\"\(user)\"", with: "\"userRecordName\":\"\(Erasures.nobody)\"")
                #expect(now?.text == text)
                expected += 1
            }
        }
        #expect(after.count == expected)
    }

    /// The archive has exactly what is the person's, byte for byte as an export of the container has it.
    private static func checkArchive(
        _ account: AccountRow, _ user: String, _ store: any RecordStore, _ files: any AssetStore,
        _ lines: [Line]
    ) async throws {
        let archives = AccountArchives(store: store, assets: files, now: { 1_700_000_000_000 })
        var archive: AccountArchive? = try archives.archive(of: account)
        #expect(throws: ServiceError.self) { try archives.archive(of: account) }
        var bytes: [UInt8] = []
        try await archive?.write { bytes += Array(buffer: $0) }
        archive = nil
        _ = try archives.archive(of: account)
        let zip = try ZipReader(bytes)
        for environment in Set(lines.map(\.environment)) {
            let mine = lines.filter {
                $0.environment == environment
                    && ($0.owner == user || $0.owner == nil && $0.creator == user)
            }
            let written = try zip.lines("iCloud.departure/\(environment)/records.jsonl")
            #expect(written.sorted() == mine.map(\.text).sorted())
            #expect(try zip.lines("iCloud.departure/\(environment)/users.jsonl").count == 1)
        }
        let text = try #require(zip.files["manifest.json"])
        let json = try #require(try JSONReader.read(text).object)
        #expect(json["format"]?.string == "stratus-account")
        for file in try json.objects("files") {
            let content = try #require(zip.files[file.requiredString("path")])
            #expect(file["bytes"]?.int == Int64(content.count))
            #expect(file["sha256"]?.string == Array(SHA256.hash(data: content)).hex)
        }
        #expect(json["missing"]?.array?.isEmpty == true)
        let named = zip.files.keys.filter { $0.hasPrefix("assets/") }
        #expect(json["assetFiles"]?.int == Int64(named.count))
        for name in named {
            #expect(name.hasSuffix(Array(SHA256.hash(data: try #require(zip.files[name]))).hex))
        }
    }

    @Test func `A few archives are made at once, and places come back`() async throws {
        try await StoreEngine.memory.run { store in
            let home = try TemporaryDirectory()
            let archives = AccountArchives(
                store: store, assets: try FileAssetStore(directory: home.path), now: { 0 })
            func account(_ number: Int) -> AccountRow {
                AccountRow(id: "\(number)", address: "\(number)@example.org", createdAt: 0)
            }
            var held = try (0..<Limits.accountArchives).map { try archives.archive(of: account($0)) }
            let refusal = #expect(throws: ServiceError.self) { try archives.archive(of: account(99)) }
            #expect(refusal?.code == .throttled && refusal?.retryAfterSeconds != nil)
            held.removeLast()
            held.append(try archives.archive(of: account(99)))
            #expect(held.count == Limits.accountArchives)
        }
    }
}

extension String {
    /// The zone of a line.
    fileprivate var zone: String {
        String(prefix(upTo: firstRange(of: "\"record\":")?.lowerBound ?? startIndex))
    }
}
