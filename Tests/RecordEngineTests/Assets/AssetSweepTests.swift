import AssetStorageFiles
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// When files go: never while something refers to them, always some time after nothing does any more.
@Suite struct AssetSweepTests {
    private static let grace = Int64(Limits.assetGraceSeconds) * 1_000

    /// The files of a cloud, by their checksums.
    private static func files(_ cloud: TestCloud) -> Set<String> {
        Set(cloud.assetPaths.digests(after: nil, limit: 10_000).map(\.checksum))
    }

    private static func uploaded(_ cloud: TestCloud, _ bytes: [UInt8]) async throws -> JSONValue {
        try await cloud.upload(bytes)
    }

    @Test func `An upload that no record takes goes after its time`() async throws {
        try await TestCloud.run { cloud in
            _ = try await cloud.upload([1])
            cloud.wait(milliseconds: Self.grace - 1_000)
            #expect(try await cloud.service.sweepAssets().isEmpty)
            #expect(Self.files(cloud).count == 1)
            cloud.wait(milliseconds: 2_000)
            #expect(try await cloud.service.sweepAssets().unused == 1)
            #expect(Self.files(cloud).isEmpty)
            #expect(try await cloud.service.sweepAssets().isEmpty)
        }
    }

    @Test func `Repeating an upload, or a reference, gives the file its time again`() async throws {
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload([1])
            cloud.wait(milliseconds: Self.grace)
            _ = try await cloud.upload([1])
            #expect(try await cloud.service.sweepAssets().isEmpty)
            let fresh = try await cloud.upload([1])
            #expect(fresh["fileChecksum"] == asset["fileChecksum"])
            try await cloud.save("r", file: fresh)
            cloud.wait(milliseconds: Self.grace)
            let again = try await cloud.send(
                .assetsRereference, ["assets": [["recordName": "r", "fieldName": "file"]]])
            try await cloud.modify([TestCloud.operation("forceDelete", "r")])
            #expect(try await cloud.service.sweepAssets().isEmpty)
            #expect(try await cloud.save("s", file: again.json["assets"][0]).codes == [nil])
        }
    }

    /// Ways in which a record lets go of its file.
    enum Release: CaseIterable { case update, remove, replace, delete, cascade, zone }

    @Test(arguments: Release.allCases)
    func `A file goes when its last record lets go of it`(_ way: Release) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            let asset = try await cloud.upload([1])
            let shared = try await cloud.upload([2])
            try await cloud.save("r", file: [asset, shared], zone: "Z")
            let other = try await cloud.save("other", file: [shared])
            #expect(other.codes == [nil])
            cloud.wait(milliseconds: Self.grace)
            #expect(try await cloud.service.sweepAssets().isEmpty, "a file in use is kept")
            let zone: JSONValue = ["zoneName": "Z"]
            func apply(_ type: String, _ fields: JSONValue?) async throws {
                let answer = try await cloud.modify(
                    [TestCloud.operation(type, "r", type: "Photo", fields: fields)], zone: "Z")
                #expect(answer.codes == [nil], "\(answer.json.text)")
            }
            switch way {
            case .update: try await apply("forceUpdate", ["file": ["value": [], "type": "ASSETID_LIST"]])
            case .remove: try await apply("forceUpdate", ["file": ["value": nil]])
            case .replace: try await apply("forceReplace", ["n": ["value": 1]])
            case .delete: try await apply("forceDelete", nil)
            case .cascade:
                try await cloud.save("owner", ["n": ["value": 1]], zone: "Z")
                try await apply(
                    "forceUpdate",
                    [
                        "owner": [
                            "value": ["recordName": "owner", "action": "DELETE_SELF"], "type": "REFERENCE",
                        ]
                    ])
                try await cloud.modify([TestCloud.operation("forceDelete", "owner")], zone: "Z")
            case .zone:
                _ = try await cloud.send(
                    .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": zone]]]])
            }
            // The first sweep sees it, and the time begins.
            #expect(try await cloud.service.sweepAssets().isEmpty)
            cloud.wait(milliseconds: Self.grace - 1_000)
            #expect(try await cloud.service.sweepAssets().isEmpty)
            cloud.wait(milliseconds: 2_000)
            #expect(try await cloud.service.sweepAssets().unused == 1)
            #expect(Self.files(cloud) == [shared["fileChecksum"].string ?? ""])
        }
    }

    @Test func `An update that keeps the file keeps it`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", file: try await cloud.upload([1]))
            try await cloud.save("r", ["n": ["value": 1]], type: "Photo")
            for _ in 0..<3 {
                cloud.wait(milliseconds: Self.grace)
                #expect(try await cloud.service.sweepAssets().isEmpty)
            }
            #expect(Self.files(cloud).count == 1)
        }
    }

    @Test func `What a crash left behind goes, and nothing else`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", file: try await cloud.upload([1]))
            // An upload that ended between the file and its row, and one that ended before.
            let lost = try #require(AssetDigest(bytes: Array(repeating: 0xAB, count: 32)))
            let folder = cloud.assetPaths.root + "/ab/ab"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: cloud.assetPaths.path(of: lost)))
            try Data([1]).write(to: URL(fileURLWithPath: cloud.assetPaths.uploads + "/half"))
            try Data([1]).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
            #expect(try await cloud.service.sweepAssets().isEmpty, "it might be on its way")
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let ahead = now - cloud.wait(milliseconds: 0)
            cloud.wait(milliseconds: ahead + Self.grace + 1_000)
            #expect(try await cloud.service.sweepAssets().unknown == 1)
            #expect(Self.files(cloud).count == 1)
            try await cloud.reopen()
            #expect(cloud.assetPaths.unfinished.isEmpty, "a start removes what was not finished")
            #expect(FileManager.default.fileExists(atPath: folder + "/notes.txt"), "others' files stay")
        }
    }

    @Test func `A second node's start leaves the uploads of the first alone`() async throws {
        let directory = try TemporaryDirectory()
        let paths = AssetPaths(root: directory.path + "/" + AssetPaths.folderName)
        let first = try FileAssetStore(directory: paths.root)
        let upload = try await first.beginUpload()
        try await upload.write(ByteBuffer(bytes: [1, 2, 3]))
        // Nobody writes this one any more.
        try Data([1]).write(to: URL(fileURLWithPath: paths.uploads + "/half"))
        let second = try FileAssetStore(directory: paths.root)
        #expect(paths.unfinished.count == 1)
        let content = try await upload.finish()
        try await upload.place()
        #expect(try await second.open(content.digest)?.size == 3)
        #expect(paths.unfinished.isEmpty)
    }

    @Test(arguments: [true, false])
    func `Files older than all that the database knows stay until an operator asks`(isEmpty: Bool)
        async throws
    {
        try await TestCloud.run { cloud in
            if !isEmpty { try await cloud.save("r", file: try await cloud.upload([1])) }
            let old = try #require(AssetDigest(bytes: Array(repeating: 0xAB, count: 32)))
            let path = cloud.assetPaths.path(of: old)
            try FileManager.default.createDirectory(
                atPath: cloud.assetPaths.root + "/ab/ab", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: path))
            let longAgo = Date(timeIntervalSince1970: 1_600_000_000)
            try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: path)
            cloud.wait(milliseconds: Self.grace + 1_000)
            let report = try await cloud.service.sweepAssets()
            #expect(report.foreign == 1 && report.unknown == 0)
            #expect(
                FileManager.default.fileExists(atPath: path), "the database may be another one than its own")
            let asked = try await AssetSweep(
                store: cloud.store, files: try FileAssetStore(directory: cloud.assetPaths.root),
                now: cloud.wait(milliseconds: 1), graceMilliseconds: 0, sparesForeign: false
            ).run()
            #expect(asked.unknown == 1 && asked.foreign == 0)
            #expect(Self.files(cloud).count == (isEmpty ? 0 : 1))
        }
    }

    @Test func `Without any grace all goes that nothing refers to at this moment`() async throws {
        try await TestCloud.run { cloud in
            let kept = try await cloud.upload([1])
            try await cloud.save("r", file: kept)
            try await cloud.save("gone", file: try await cloud.upload([2]))
            try await cloud.modify([TestCloud.operation("forceDelete", "gone")])
            let unsaved = try await cloud.upload([3])
            let report = try await AssetSweep(
                store: cloud.store, files: try FileAssetStore(directory: cloud.assetPaths.root),
                now: cloud.wait(milliseconds: 0), graceMilliseconds: 0, sparesForeign: true
            ).run()
            #expect(report.unused == 2)
            #expect(Self.files(cloud) == [kept["fileChecksum"].string ?? ""])
            let late = try await cloud.save("s", file: unsaved)
            #expect(late.codes == ["BAD_REQUEST"], "a receipt for a file that went is refused")
        }
    }

    @Test(arguments: Seed.some(6))
    func `Uploads and sweeps at the same time lose nothing`(seed: Seed) async throws {
        var random = seed.random
        let order = (0..<60).map { _ in UInt8(random.int(0...3)) }
        try await TestCloud.run { cloud in
            await withThrowingTaskGroup(of: Void.self) { group in
                for (number, byte) in order.enumerated() {
                    group.addTask {
                        let asset = try await cloud.upload([byte])
                        if number % 3 == 0 { try await cloud.save("r\(byte)", file: asset) }
                        // From here on the upload is as good as one of long ago.
                        if number % 5 == 0 { cloud.wait(milliseconds: Self.grace / 4) }
                    }
                    group.addTask { _ = try await cloud.service.sweepAssets() }
                }
            }
            for byte in Set(order) {
                guard let record = try await cloud.record("r\(byte)") else { continue }
                let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
                #expect(try await cloud.download(url) == [byte])
            }
            // Every file that the store knows is there.
            let known = try await cloud.store.read(.short) { try $0.assets(unusedBefore: .max, limit: 100) }
            for digest in known { #expect(Self.files(cloud).contains(digest.checksum)) }
        }
    }

    @Test func `The store tells how much room files take`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let big = try await cloud.upload([1, 2, 3])
            try await cloud.save("a", file: [big, try await cloud.upload([1])])
            try await cloud.save("b", file: [big])
            let public_ = try await cloud.upload([1, 2, 3], type: "Film", field: "poster", in: .public)
            _ = try await cloud.modify(
                [TestCloud.operation("create", "c", type: "Film", fields: ["poster": ["value": public_]])],
                in: .public)
            let usage = try await cloud.store.read(.short) { try $0.assetUsage(of: tenant) }
            #expect(usage.files == 2)
            #expect(usage.bytes == 4)
            #expect(usage.types.map(\.recordType) == ["Film", "Photo"])
            #expect(usage.types.map(\.bytes) == [3, 4])
            var seen: [AssetRow] = []
            while true {
                let page = try await cloud.store.read(.short) { [last = seen.last?.content.digest] in
                    try $0.assets(of: tenant, after: last, limit: 1)
                }
                if page.isEmpty { break }
                seen += page
            }
            #expect(
                Dictionary(uniqueKeysWithValues: seen.map { ($0.content.size, $0.uses) }) == [3: 3, 1: 1])
            let other = Tenant(container: cloud.container, environment: .production)
            #expect(try await cloud.store.read(.short) { try $0.assetUsage(of: other) } == AssetUsage())
        }
    }
}
