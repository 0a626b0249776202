import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

@Suite struct MigrationTests {
    /// A file as version 1 left it: a type with a field, and a record.
    private static let old = """
        INSERT INTO tenant VALUES (1, 'iCloud.test', 'development');
        INSERT INTO database VALUES (1, 1, '_alice');
        INSERT INTO zone VALUES (1, 1, '_defaultZone', 1, 0), (2, 1, 'Zone', 3, 0);
        INSERT INTO record_type (id, tenant, name) VALUES (1, 1, 'Note');
        INSERT INTO field (type, number, name, scalar, list, indexes) VALUES (1, 1, 'n', 'int64', 0, 3);
        CREATE TABLE r1 (
            id INTEGER PRIMARY KEY, zone INTEGER NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL,
            created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
            modified_by TEXT NOT NULL, modified_at INTEGER NOT NULL, parent TEXT, c1 INTEGER);
        CREATE TABLE b1 (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
        INSERT INTO r1 VALUES (2 << 40 | 3, 2, 'a', 3, '_alice', 1, '_alice', 1, NULL, 7);
        INSERT INTO b1 VALUES (2 << 40 | 3, CAST(
            '{"recordName":"a","recordType":"Note","fields":{"n":{"value":7,"type":"INT64"},"e":{"value":"AA==","type":"BYTES","isEncrypted":true}},"pluginFields":{},"recordChangeTag":"3","created":{"timestamp":1,"userRecordName":"_alice"},"modified":{"timestamp":1,"userRecordName":"_alice"},"deleted":false' AS BLOB));
        INSERT INTO directory VALUES (2, 'a', 1, 2 << 40 | 3, 3, 1, 0);
        UPDATE meta SET value = 3 WHERE key = 'sequence';
        UPDATE meta SET value = 2 WHERE key = 'schemaVersion';
        """

    @Test func `A file of version 1 opens, keeps what it has, and takes what is new`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + SQLiteStore.fileName
        try Migrations.run(path: path, upTo: "1: records")
        let connection = try Connection(path: path, role: .writer, cacheKiB: 1_024)
        try connection.execute(Self.old)
        connection.close()

        let tenant = try Ground.tenant()
        let store = try SQLiteStore(directory: directory.path)
        let type = try #require(store.schema(of: tenant).types["Note"])
        #expect(type.fields.map(\.name) == ["n"] && type["n"]?.declaration == .plain)
        #expect(type.grants == nil && type.systemIndexes.isEmpty && store.schema(of: tenant).roles == [])
        let zone = try await store.write { store in
            _ = try store.setAnnotations(
                systemIndexes: [.recordID: .queryable], grants: [SecurityGrant(.read, to: "Editor")],
                of: type,
                tenant: tenant)
            try store.setRoles(["Editor"], tenant: tenant)
            return try #require(try store.zone(named: "Zone", in: 1))
        }
        let changed = try #require(store.schema(of: tenant).types["Note"])
        let ground = Ground(tenant: tenant, zone: zone, type: changed)
        let scan = ground.scan(.compare(try ground.column("n"), .equal, .int(7)))
        #expect(try await store.read(.long) { try ground.names(scan, in: $0).names } == ["a"])
        let body = try await store.read(.short) { try $0.record(named: "a", in: 2)?.body }
        #expect(
            body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"recordName":"a","recordType":"Note","fields":{"n":{"value":7,"type":"INT64"},"e":{"value":"AA==","type":"ENCRYPTED_BYTES"}},"pluginFields":{},"recordChangeTag":"3","created":{"timestamp":1,"userRecordName":"_alice","deviceID":"2"},"modified":{"timestamp":1,"userRecordName":"_alice","deviceID":"2"},"deleted":false"#
        )
        #expect(try await eventually { try await store.read(.short) { try $0.isUsageCounted } })
        let usage = try await store.read(.short) { try $0.usage(of: tenant) }
        #expect(usage == StorageUsage(records: 1, recordBytes: Int64(try #require(body).count)))
        await store.close()

        let again = try SQLiteStore(directory: directory.path)
        #expect(again.schema(of: tenant).types["Note"] == changed)
        #expect(again.schema(of: tenant).roles == ["Editor"])
        await again.close()
        #expect(try StoreInspection.run(directory: directory.path).allSatisfy { $0.severity == .good })
    }
}
