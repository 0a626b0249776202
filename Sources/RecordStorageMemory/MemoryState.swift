internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// Everything that a store holds, as one value.
struct MemoryState: Sendable {
    /// The last sequence number that was given.
    var sequence: Int64 = 0
    /// The last number of a database, a zone, a type and a row of the audit log; each is given once.
    var lastDatabase: Int64 = 0
    var lastZone: Int64 = 0
    var lastType: Int64 = 0
    var lastAudit: Int64 = 0

    /// In the order in which they came.
    var tenants: [Tenant] = []
    var schemas: [Tenant: Schema] = [:]
    /// The highest number that a field of a type has or had.
    var lastColumns: [Int64: Int] = [:]

    var databases: TreeDictionary<DatabaseID, Int64> = [:]
    var databaseIDs: TreeDictionary<Int64, DatabaseID> = [:]
    /// The wrapped keys of encrypted fields.
    var databaseKeys: TreeDictionary<Int64, [UInt8]> = [:]
    /// The zones by number, deleted ones included.
    var zones: TreeDictionary<Int64, ZoneRow> = [:]
    /// The zones that exist.
    var zoneNames: TreeDictionary<ZoneKey, Int64> = [:]
    var zonesOfDatabases: TreeDictionary<Int64, TreeSet<Int64>> = [:]
    /// The sequence numbers up to which deletions of zones were forgotten, where the store was copied from an engine
    /// that forgets.
    var forgottenZones: [Int64: Int64] = [:]
    /// What zones hold; of deleted ones there is nothing.
    var contents: TreeDictionary<Int64, ZoneContents> = [:]

    var versions = MemoryVersions()

    var assets: TreeDictionary<AssetDigest, AssetEntry> = [:]
    var assetUses: TreeDictionary<AssetDigest, TreeSet<AssetHolder>> = [:]

    /// The described tables by name.
    var tables: TreeDictionary<String, MemoryTable> = [:]
    var audit: [AuditRow] = []
    var keptOutcomes = KeptOutcomes()
    var changeLog = MemoryChangeLog()
    /// What is answered in the place of usages, in simulations of an engine that counts wrong; nil otherwise.
    var laggingUsage: [Int64: StorageUsage]?
    /// Whether errors were planted, so that ``check()`` has nothing to say.
    var hasFlaws = false

    struct ZoneKey: Hashable, Sendable {
        var database: Int64
        var name: String
    }

    /// What must hold between the parts, looked at in debug builds after each write.
    func check() {
        if hasFlaws { return }
        assert(zones.allSatisfy { $0.key <= lastZone && $0.value.sequence <= sequence })
        assert(zoneNames.allSatisfy { zones[$0.value]?.isDeleted == false })
        assert(contents.keys.allSatisfy { zones[$0]?.isDeleted == false })
        assert(databases.count == databaseIDs.count)
        assert(assetUses.allSatisfy { !$0.value.isEmpty })
        assert(keptOutcomes.rows.count == keptOutcomes.order.count)
        for shape in [Catalogue.credentials.shape, Catalogue.sessions.shape] {
            let place = shape.place(of: "account")
            let accounts = tables[Catalogue.accounts.shape.name]?.rows ?? [:]
            assert(tables[shape.name]?.rows.values.allSatisfy { accounts[[$0[place]]] != nil } != false)
        }
    }
}

/// What became of requests with idempotency keys.
struct KeptOutcomes: Sendable {
    var rows: TreeDictionary<[UInt8], IdempotencyRecord> = [:]
    /// The keys in the order in which they were kept, each with the sum of all bytes up to it.
    var order: [(position: Int64, key: [UInt8])] = []
}

/// The records of one zone.
struct ZoneContents: Sendable {
    /// The records and tombstones by name.
    var entries: TreeDictionary<ExactText, RecordEntry> = [:]
    /// The protecting references, by the record that they point at.
    var referrers: TreeDictionary<ExactText, TreeSet<ReferrerRow>> = [:]
}

/// A record, or what is left of one.
struct RecordEntry: Sendable {
    /// The number: of the zone and of the change that made the record.
    var id: Int64
    var type: Int64
    /// The last change.
    var sequence: Int64
    /// Nil for a tombstone.
    var record: StoredRecord?
}

/// A record as it is stored.
struct StoredRecord: Sendable {
    var createdBy: String
    var createdAt: Int64
    var modifiedBy: String
    var modifiedAt: Int64
    var parent: String?
    /// The values that can be asked for, by the numbers of their fields.
    var values: [Int: FieldValue]
    /// The protecting references, to take them out again.
    var references: [(target: String, row: ReferrerRow)]
    /// The files that the fields refer to.
    var assets: [(field: String, digest: AssetDigest)]
    var body: [UInt8]
}

/// A file as records know it.
struct AssetEntry: Sendable {
    var size: Int64
    var createdAt: Int64
    var unusedSince: AssetRow.UnusedSince?
}

/// A field of a record that refers to a file.
struct AssetHolder: Hashable, Sendable {
    var zone: Int64
    @ExactText var owner: String
    var field: String
}
