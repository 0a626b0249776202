import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSeeds
import TestSupport
import Testing

/// A field of files that is removed lets go of them.
@Suite struct FileFieldTests {
    @Test(arguments: StoreEngine.allCases)
    func `Files of a field that is removed are nobody's`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let ground = try await Ground.make(store, fields: [("file", FieldType(.asset))])
            let content = AssetContent(
                digest: try #require(AssetDigest(bytes: Array(repeating: 7, count: 32))), size: 100)
            try await store.write { store in
                try store.noteAsset(content, at: 1)
                var record = ground.record("a", sequence: try store.nextSequence())
                record.assets = [(field: "file", digest: content.digest)]
                record.body = Array(
                    #"{"recordName":"a","fields":{"file":{"value":{"fileChecksum":"x"},"type":"ASSETID"}}"#
                        .utf8)
                try store.insert(record)
            }
            #expect(try await store.read(.short) { try $0.asset(content.digest)?.uses } == 1)
            try await store.write { store in
                let type = try #require(try store.schema(of: ground.tenant).types["Note"])
                _ = try store.removeField(named: "file", from: type, tenant: ground.tenant)
            }
            // SQLite does it in slices.
            #expect(
                try await eventually {
                    try await store.read(.short) { try $0.asset(content.digest)?.uses } == 0
                })
            #expect(
                try await eventually {
                    try await store.read(.short) { try $0.usage(of: ground.zone.database).assetBytes } == 0
                })
        }
    }
}
