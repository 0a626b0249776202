internal import SQLiteAccess
internal import StratusCoreData

/// What the three batch requests share.
struct BatchSupport {
    let store: SQLiteObjectStore
    let open: OpenStore
    let context: NSManagedObjectContext?

    var connection: SQLiteConnection { open.connection }
    var compiler: FetchCompiler { FetchCompiler(layout: open.layout, storeIdentifier: store.identifier) }

    func entity(_ name: String, _ entity: NSEntityDescription?) throws -> EntityTable {
        if let entity, let table = open.layout.table(of: entity) { return table }
        guard let found = open.layout.model.entitiesByName[name] else {
            throw CoreDataError.unknownEntity(name, known: Array(open.layout.model.entitiesByName.keys)).cocoa
        }
        return try open.table(of: found)
    }

    /// What the context does about values that have to be unique and are not.
    var policy: NSMergePolicyType {
        (context?.mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType
    }

    func newFiles() -> SaveFiles {
        SaveFiles(open.layout, connection, storeIdentifier: store.identifier)
    }

    /// Runs a request in a transaction, and removes the files that it made needless, or wrote in vain.
    func transaction<Value>(_ files: SaveFiles, _ body: () throws -> Value) throws -> Value {
        do {
            let value = try connection.transaction {
                let value = try body()
                if !open.derived.isEmpty { try open.derived.updateAll(connection) }
                return value
            }
            open.files?.remove(files.obsolete)
            return value
        } catch {
            open.files?.remove(files.written)
            throw error
        }
    }

    /// Starts a transaction of the history, where there is one.
    func beginHistory() throws -> Int64? {
        try open.history?.begin(contextName: named(\.name), author: named(\.transactionAuthor))
    }

    /// What the context that asks is called, or the next above it that is called anything: a batch request of a child
    /// goes to the store at once, as a save of the context at the end of the chain.
    private func named(_ name: (NSManagedObjectContext) -> String?) -> String? {
        sequence(first: context) { $0?.parent }.lazy.compactMap { $0 }.compactMap(name).first
    }

    func add(
        _ kind: NSPersistentHistoryChangeType, _ table: EntityTable, _ key: Int64, _ number: Int64?,
        slots: [Int]? = nil, tombstone: [SQLBinding]? = nil
    ) throws {
        guard let number, let history = open.history else { return }
        try history.add(
            kind, table, key, number, columns: slots.map { history.bitmap($0, table) }, tombstone: tombstone)
    }

    func objectID(_ key: Int64, _ table: EntityTable) -> NSManagedObjectID {
        NSManagedObjectID(reference: .row(key), entity: table.entity, store: store)
    }

    /// Keys and entities of the objects that a fetch finds.
    func keys(_ fetch: StoreFetch) throws -> [(key: Int64, table: EntityTable)] {
        let text = try compiler.ids(fetch)
        let statement = try connection.makeStatement(text.sql)
        statement.bind(text.bindings)
        var result: [(key: Int64, table: EntityTable)] = []
        while try statement.step() {
            guard let table = open.layout.entity(number: Int(truncatingIfNeeded: statement.int(1))) else {
                continue
            }
            result.append((statement.int(0), table))
        }
        return result
    }

    /// Notes the files that rows name, whose keys are in the table of temporary keys.
    func noteFiles(_ table: TableLayout, _ columns: [String], _ files: SaveFiles) throws {
        for column in columns {
            let statement = try connection.makeStatement(
                "SELECT \(column) FROM \(table.sqlName) WHERE Z_PK IN (SELECT pk FROM \(TemporaryKeys.name)) "
                    + "AND length(\(column)) = 38")
            while try statement.step() {
                if let name = ExternalFiles.fileName(statement.bytes(0)) { files.obsolete.append(name) }
            }
        }
    }

    /// The value of a property, from code.
    func value(_ any: Any?, _ slot: Int, _ table: EntityTable) throws -> PropertyValue {
        let name = table.layout.properties[slot].name
        if let attribute = table.layout.attributeDescriptions[slot] {
            guard let value = PropertyValue(any, for: attribute) else {
                throw CoreDataError(
                    134030,
                    "'\(table.entity.name ?? "?").\(name)' cannot hold a value of type \(Swift.type(of: any ?? "nil")).",
                    remedy: "Give a value for an attribute of type \(attribute.attributeType)."
                ).cocoa
            }
            return value
        }
        guard let any, !(any is NSNull) else { return .null }
        if let objectID = (any as? NSManagedObjectID) ?? (any as? NSManagedObject)?.objectID {
            return .reference(objectID.current)
        }
        throw CoreDataError(
            134030, "'\(table.entity.name ?? "?").\(name)' is a relationship.",
            remedy: "Give the NSManagedObjectID."
        ).cocoa
    }

    /// The stored slot of a key.
    func slot(_ key: String, _ table: EntityTable) throws -> Int {
        guard let slot = table.layout.slots[key] else {
            throw CoreDataError(
                134060, "The entity '\(table.entity.name ?? "?")' has no property '\(key)'.",
                remedy: "It has: \(table.layout.slots.keys.sorted().joined(separator: ", "))."
            ).cocoa
        }
        guard slot < table.layout.storedCount else {
            throw CoreDataError(
                134091,
                "A batch request cannot set '\(table.entity.name ?? "?").\(key)': it is transient, or to-many.",
                remedy: "Set it on objects of a context."
            ).cocoa
        }
        return slot
    }

    static func notUnique(_ table: EntityTable, _ names: [[String]]) -> CocoaError {
        CoreDataError(
            133021,
            "Objects of '\(table.entity.name ?? "?")' would not be unique by \(names.map { $0.joined(separator: ", ") }.joined(separator: "; ")).",
            remedy: "Set the context's mergePolicy, or give other values."
        ).cocoa
    }
}
