import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStorageOpening
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageMemory
@testable import RecordStoragePostgres
@testable import RecordStorageSQLite

/// A table that is new is carried by copies, or named with a reason: nothing is lost because nobody thought of it.
@Suite struct StoredTableTests {
    @Test func `Every table of SQLite is carried by a copy, or is named with a reason`() async throws {
        let directory = try TemporaryDirectory()
        let store = try StoreEngine.sqlite.open(directory)
        _ = try await Ground.make(store)
        await store.close()
        let sqlite = try Connection(path: Self.path(directory), role: .reader, cacheKiB: 1_024)
        defer { sqlite.close() }
        let tables = try sqlite.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        #expect(Set(tables.map(Self.pattern)) == Set(StoredTable.all.compactMap(\.sqlite)))
        for section in StoreSection.allCases {
            guard let shape = Catalogue.shape(of: section) else { continue }
            let columns = try sqlite.texts("SELECT name FROM pragma_table_info('\(shape.name)')")
            #expect(Set(columns) == Self.columns(of: shape), "\(shape.name)")
            let indexes = try sqlite.texts(
                """
                SELECT (SELECT group_concat(name, ' ') FROM pragma_index_info(l.name) ORDER BY seqno)
                FROM pragma_index_list('\(shape.name)') AS l
                """)
            for index in shape.unique + shape.indexes {
                #expect(indexes.contains(index.joined(separator: " ")), "\(shape.name) by \(index)")
            }
        }
    }

    @Test func `Every table of PostgreSQL is carried by a copy, or is named with a reason`() async throws {
        let directory = try TemporaryDirectory()
        let store = try StoreEngine.postgres.open(directory)
        _ = try await Ground.make(store)
        await store.close()
        let postgres = try PostgresConnection(url: StoreEngine.databaseURL(of: directory))
        defer { postgres.close() }
        func texts(_ sql: String) throws -> [String] {
            let rows = try postgres.run(sql: sql)
            return (0..<rows.count).map { rows.text($0, 0) }
        }
        let tables = try texts(
            "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        #expect(Set(tables.map(Self.pattern)) == Set(StoredTable.all.compactMap(\.postgres)))
        for section in StoreSection.allCases {
            guard let shape = Catalogue.shape(of: section) else { continue }
            let columns = try texts(
                """
                SELECT attname::text FROM pg_attribute
                WHERE attrelid = '"\(shape.postgresName)"'::regclass AND attnum > 0 AND NOT attisdropped
                """)
            #expect(Set(columns) == Self.columns(of: shape), "\(shape.name)")
            let indexes = try texts(
                """
                SELECT (SELECT string_agg(a.attname, ' ' ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
                    JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number)
                FROM pg_index AS i WHERE i.indrelid = '"\(shape.postgresName)"'::regclass
                """)
            for index in shape.unique + shape.indexes {
                #expect(indexes.contains(index.joined(separator: " ")), "\(shape.name) by \(index)")
            }
        }
    }

    /// The parts of the memory's state, and the table that each is in other engines; nil for what is derived from others.
    private static let memory: [String: String?] = [
        "sequence": "meta", "lastDatabase": "database", "lastZone": "meta", "lastType": "meta",
        "lastAudit": "meta", "tenants": "tenant", "schemas": "record_type", "lastColumns": "record_type",
        "databases": "database", "databaseIDs": "database", "databaseKeys": "database", "zones": "zone",
        "zoneNames": "zone", "zonesOfDatabases": "zone", "forgottenZones": "database",
        "contents": "directory",
        "versions": "record_version", "assets": "asset", "assetUses": "asset_use", "audit": "audit",
        "keptOutcomes": "kept_outcome", "changeLog": "change_log",
        // Described tables are there by their names.
        "tables": nil, "laggingUsage": nil, "hasFlaws": nil,
    ]

    @Test func `Every part of the memory's state is a table that a copy carries`() {
        let parts = Mirror(reflecting: MemoryState()).children.compactMap(\.label)
        #expect(Set(parts) == Set(Self.memory.keys))
        let carried = Set(StoredTable.all.filter { $0.copying == .covered }.compactMap(\.sqlite))
        #expect(carried.isSuperset(of: Self.memory.values.compactMap { $0 }))
    }

    @Test(arguments: Seed.some(3))
    func `From SQLite to PostgreSQL and back each table that is carried has its rows`(_ seed: Seed)
        async throws
    {
        let engines: [StoreEngine] = [.sqlite, .postgres, .sqlite]
        let directories = try engines.map { _ in try TemporaryDirectory() }
        let stores = try zip(engines, directories).map { try $0.open($1) }
        let tenant = try Ground.tenant()
        for step in 0..<120 as Range<UInt64> {
            let random = Random(seed: seed.value &+ step &* 7_919)
            _ = try await StoreHistory(tenant: tenant, random: random).step(stores[0])
        }
        try await EveryTable.fill(stores[0], tenant, seed.value)
        for (source, target) in zip(stores, stores.dropFirst()) {
            #expect(try await target.read(.long) { try $0.isEmpty() })
            let copy = StoreCopy(from: source, to: target)
            try await copy.copy()
            let (from, to) = try await copy.compare()
            #expect(from == to)
            try await copy.finish()
        }
        for store in stores { await store.close() }
        let (first, last) = (try Self.contents(directories[0]), try Self.contents(directories[2]))
        #expect(first.keys.sorted() == last.keys.sorted())
        for (table, rows) in first.sorted(by: { $0.key < $1.key }) {
            #expect(rows == last[table], "\(table)")
        }
        for section in StoreSection.allCases {
            guard let table = Catalogue.shape(of: section)?.name else { continue }
            #expect(first[table]?.isEmpty == false, "\(table) has no row to carry.")
        }
    }

    /// Tables in which an engine has numbers of its own besides: the comparison of rows is theirs.
    private static let ownTables: Set = ["directory", "r#", "record_type", "meta", "sqlite_sequence"]
    /// The same of columns.
    private static let ownColumns = ["change_watch": ["version"], "tenant": ["id"]]

    /// The rows of each table of SQLite that a copy carries, as lines.
    private static func contents(_ directory: TemporaryDirectory) throws -> [String: [String]] {
        let sqlite = try Connection(path: path(directory), role: .reader, cacheKiB: 1_024)
        defer { sqlite.close() }
        let carried = Set(StoredTable.all.filter { $0.copying == .covered }.compactMap(\.sqlite))
        var contents: [String: [String]] = [:]
        for table in try sqlite.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        where carried.contains(pattern(table)) && !ownTables.contains(pattern(table)) {
            let columns = try sqlite.texts("SELECT name FROM pragma_table_info('\(table)')").filter {
                !(ownColumns[table] ?? []).contains($0)
            }
            let values = columns.map { name in
                name == "tenant"
                    ? "(SELECT container || environment FROM tenant WHERE id = \"tenant\")"
                    : "quote(\"\(name)\")"
            }
            contents[table] = try sqlite.texts(
                "SELECT \(values.joined(separator: " || ' ' || ")) FROM \"\(table)\" ORDER BY 1")
        }
        return contents
    }

    @Test func `What is left behind is named with a sentence, once`() {
        for command in [\StoredTable.copying, \.exporting, \.archiving] {
            let left = StoredTable.left { $0[keyPath: command] }
            #expect(!left.isEmpty && left.allSatisfy { $0.reason.hasSuffix(".") && !$0.contents.isEmpty })
        }
        let names = StoredTable.all.compactMap(\.sqlite)
        #expect(names.count == Set(names).count)
        #expect(Set(StoredTable.all.map(\.contents)).count == StoredTable.all.count)
    }

    @Test func `Each described table has a row that is read back as it was written`() throws {
        let watch = ChangeWatch(database: 1, type: 2, since: 3, usedAt: 4)
        let values = Catalogue.watches.values(of: watch)
        #expect(try Catalogue.watches.row(of: values) == watch)
        #expect(throws: StorageError.self) { try Catalogue.watches.row(of: Array(values.dropLast())) }
        #expect(throws: StorageError.self) { try Catalogue.watches.row(of: values.map { _ in .text("1") }) }
        let key = PushKeyRow(tenant: try Ground.tenant(), definition: [0])
        #expect(try Catalogue.pushKeys.row(of: Catalogue.pushKeys.values(of: key)) == key)
        for text in ["", " ", "iCloud.test", "iCloud.test other", "iCloud.test development x"] {
            #expect(throws: StorageError.self) { try Catalogue.pushKeys.row(of: [.text(text), .bytes([])]) }
        }
    }

    private static func path(_ directory: TemporaryDirectory) -> String {
        directory.path + "/" + SQLiteStore.fileName
    }

    private static func columns(of shape: TableShape) -> Set<String> {
        Set(shape.columns.map(\.name) + shape.constants.map(\.name))
    }

    /// A table's name, with `#` for the number of a type's own.
    private static func pattern(_ name: String) -> String {
        guard let first = name.first, "rb".contains(first), Int64(name.dropFirst()) != nil else {
            return name
        }
        return "\(first)#"
    }
}
