internal import SQLiteAccess
internal import StratusCoreData

/// What a file says about itself, read without changing it.
struct StoreContents {
    var metadata: [String: Any]
    var schema: StoredSchema
    private var cache: Data?

    init(_ connection: SQLiteConnection, url: URL) throws {
        guard let metadata = try StoredState.metadata(connection) else {
            throw CoreDataError(
                134080, "The database at \(url.path) is not a Core Data store: it has no Z_METADATA.",
                remedy: "Check the store's address."
            ).cocoa
        }
        self.metadata = metadata
        schema = try StoredState.schema(connection)
        cache = try StoredState.modelCache(connection)
    }

    /// The model that wrote it; nil where it has none that can be read. Reading takes its time.
    var model: NSManagedObjectModel? { cache.flatMap(ModelCache.read) }

    /// Goes on as the file is after a step of a migration.
    mutating func follow(_ layout: StoreLayout) {
        schema = StoredSchema(layout)
        cache = nil
    }

    /// Reads a file; a log beside it is part of it.
    ///
    /// - Throws: `CocoaError` with code 134080 where there is no store.
    static func read<Value>(
        _ url: URL, _ body: (StoreContents, SQLiteConnection) throws -> Value
    ) throws -> Value {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CoreDataError(134080, "There is no store at \(url.path).", remedy: "Check the address.")
                .cocoa
        }
        var settings = try StoreSettings(nil, isReadOnly: true, isInMemory: false)
        settings.timeout = 10
        let connection: SQLiteConnection
        do {
            connection = try SQLiteConnection(path: url.path, settings: settings, isReader: true)
            do { _ = try connection.number("SELECT count(*) FROM sqlite_master") } catch {
                connection.close()
                throw error
            }
        } catch {
            // A file with a log that cannot be read without writing beside it is opened for that.
            settings.isReadOnly = false
            guard let retried = try? SQLiteConnection(path: url.path, settings: settings, isReader: true)
            else { throw error }
            defer { retried.close() }
            return try body(try StoreContents(retried, url: url), retried)
        }
        defer { connection.close() }
        return try body(try StoreContents(connection, url: url), connection)
    }

    /// The names of the app's entities in the store.
    var entityNames: Set<String> {
        Set(schema.numbers.filter { $0.value < StoreOpening.firstPrivateNumber }.keys)
    }

    /// The configuration of a model that the store has the entities of.
    func configuration(_ wanted: String?, in model: NSManagedObjectModel) -> String? {
        guard let wanted, model.entities(forConfigurationName: wanted) != nil else { return nil }
        return wanted
    }

    /// The model that wrote the store: its own, or one of those given that fits its hashes or its tables.
    ///
    /// - Throws: `CocoaError` with code 134130.
    func sourceModel(_ candidates: [NSManagedObjectModel], configuration: String?) throws
        -> NSManagedObjectModel
    {
        if let model, fits(model, configuration) { return model }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let byHash = candidates.first { candidate in
            let hashes = candidate.entityVersionHashesByName
            return !stored.isEmpty && stored.allSatisfy { hashes[$0] == $1 }
        }
        if let byHash { return byHash }
        let byTables = candidates.first { candidate in
            Set(candidate.entities.compactMap(\.name)) == entityNames && fits(candidate, configuration)
        }
        if let byTables { return byTables }
        throw CoreDataError(
            134130,
            "The model that wrote the store is not known: the store carries none that can be read, and none of the "
                + "\(candidates.count) known models has its entities (\(entityNames.sorted().joined(separator: ", "))).",
            remedy: "Put the older version of the model into the .xcdatamodeld again.",
            userInfo: ["metadata": metadata]
        ).cocoa
    }

    private func fits(_ model: NSManagedObjectModel, _ configuration: String?) -> Bool {
        let configuration = self.configuration(configuration, in: model)
        return (try? LayoutBuilder.layout(model, configuration: configuration, schema: schema)) != nil
    }
}
