internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// Opens the file of a store, or makes it.
struct StoreOpening {
    /// Nil for memory.
    var url: URL?
    var settings: StoreSettings
    var model: NSManagedObjectModel
    var configuration: String?
    /// The type that a new store gets.
    var type: String

    struct Result {
        var connection: SQLiteConnection
        var layout: StoreLayout
        var metadata: [String: Any]
        var settings: StoreSettings
        var schema: StoredSchema
        var files: ExternalFiles?
        var path: String?
    }

    func open() throws -> Result {
        try requireFile()
        let (connection, path) = try connect()
        do {
            return try finish(connection, path)
        } catch {
            connection.close()
            throw error
        }
    }

    private func finish(_ connection: SQLiteConnection, _ path: String) throws -> Result {
        var metadata = try StoredState.metadata(connection)
        if metadata == nil { metadata = try makeStore(connection) }
        let schema = try StoredState.schema(connection)
        let found = metadata ?? [:]
        let layout = try fit(schema, found, connection)
        if layout.hasBytes {
            layout.takeForms(of: try StoredState.modelCache(connection).flatMap(ModelCache.read))
        }
        layout.isForeign = found[StoreMetadata.writerKey] == nil
        var settings = settings
        settings.tracksHistory = try settings.tracksHistory || keepsHistory(schema, connection)
        let files = url.map(ExternalFiles.init)
        if !settings.isReadOnly {
            if settings.vacuums { try connection.execute("VACUUM") }
            if settings.analyzes { try connection.execute("ANALYZE") }
            if let files { try ExternalSweep(connection, schema, files).run() }
        }
        return Result(
            connection: connection, layout: layout, metadata: found, settings: settings, schema: schema,
            files: files, path: url == nil ? nil : path)
    }

    /// Whether the store has had a history: it goes on then, also without NSPersistentHistoryTrackingKey, since whoever
    /// follows it would never hear of what is saved meanwhile (Documentation/CoreDataStore.md, 'History').
    private func keepsHistory(_ schema: StoredSchema, _ connection: SQLiteConnection) throws -> Bool {
        guard !settings.isReadOnly, schema.columns(of: "ACHANGE") != nil,
            schema.columns(of: "ATRANSACTION") != nil,
            try connection.number(
                "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT >= 16000 AND Z_NAME = 'TRANSACTION' AND Z_MAX > 0"
            ) > 0
        else { return false }
        CoreDataLog.report(
            "The store at \(url?.path ?? "?") has a history and was added without NSPersistentHistoryTrackingKey: "
                + "the history goes on. Set the option wherever the store is added.")
        return true
    }

    private func requireFile() throws {
        guard let url else { return }
        let exists = RegularFile.kind(try RegularFile.require(url).path) != .nothing
        if !exists, settings.isReadOnly {
            throw CoreDataError(
                134080, "There is no store at \(url.path), and it was added read-only.",
                remedy: "Check the address, or add the store without NSReadOnlyPersistentStoreOption."
            ).cocoa
        }
        let folder = url.deletingLastPathComponent().path
        guard !exists, !FileManager.default.fileExists(atPath: folder) else { return }
        throw CoreDataError(
            134080, "There is no folder \(folder) for the store.", remedy: "Make the folder first."
        ).cocoa
    }

    /// A file that is only read may lie where SQLite cannot make its shared memory: then it is read as one that
    /// nobody changes, which is safe only without a log.
    private func connect() throws -> (SQLiteConnection, String) {
        guard let url else { return (try SQLiteConnection(path: ":memory:", settings: settings), ":memory:") }
        do {
            let connection = try SQLiteConnection(path: url.path, settings: settings)
            do {
                _ = try StoredState.metadata(connection)
                return (connection, url.path)
            } catch {
                connection.close()
                throw error
            }
        } catch {
            guard settings.isReadOnly, !hasLog(url), let path = immutablePath(url) else { throw error }
            return (try SQLiteConnection(path: path, settings: settings), path)
        }
    }

    private func hasLog(_ url: URL) -> Bool {
        // No log, or none that may be looked at, which SQLite could not read either.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")
        return ((attributes?[.size] as? NSNumber)?.intValue ?? 0) > 0
    }

    private func immutablePath(_ url: URL) -> String? {
        url.path.addingPercentEncoding(
            withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "/._-"))
        )
        .map { "file:\($0)?immutable=1" }
    }

    // MARK: A new store

    private func makeStore(_ connection: SQLiteConnection) throws -> [String: Any] {
        let tables = try connection.makeStatement("SELECT count(*) FROM sqlite_master")
        let count = try tables.step() ? tables.int(0) : 0
        tables.reset()
        guard count == 0, !settings.isReadOnly else {
            throw CoreDataError(
                134080, "The database at \(url?.path ?? "?") is not a Core Data store: it has no Z_METADATA.",
                remedy: "Check the store's address."
            ).cocoa
        }
        let layout = try wrappingMismatch { try LayoutBuilder.layout(model, configuration: configuration) }
        let identifier = UUID().uuidString
        let metadata = StoreMetadata.new(
            model, configuration: configuration, type: type, identifier: identifier)
        try connection.transaction {
            for statement in layout.createStatements + StoreLayout.systemStatements {
                try connection.execute(statement)
            }
            try layout.writeNumbers(connection)
            try StoredState.write(metadata, identifier: identifier, connection)
            if let cache = ModelCache.write(model) {
                let statement = try connection.makeStatement(
                    "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
                statement.bind(blob: [UInt8](cache), at: 1)
                try statement.run()
            }
        }
        return metadata
    }

    // MARK: An existing store

    /// The layout of the file, where the model fits it.
    private func fit(
        _ schema: StoredSchema, _ metadata: [String: Any], _ connection: SQLiteConnection
    ) throws -> StoreLayout {
        if !settings.ignoresVersions, let reason = try mismatch(schema, metadata, connection) {
            throw Self.incompatible(reason, metadata)
        }
        return try wrappingMismatch(metadata) {
            try LayoutBuilder.layout(model, configuration: configuration, schema: schema)
        }
    }

    /// Why the model is not the one that wrote the store; nil where it is.
    ///
    /// Hashes of Apple's cannot be made here, so for stores of Apple's the model in the store is compared by our
    /// own hashes, or, where none can be read, the tables alone.
    func mismatch(
        _ schema: StoredSchema, _ metadata: [String: Any], _ connection: SQLiteConnection
    ) throws -> String? {
        let entities = model.entities(forConfigurationName: configuration) ?? []
        let own = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
        if metadata[StoreMetadata.writerKey] != nil {
            let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
            return Self.difference(stored, own)
        }
        // The numbers may still carry names from before a migration.
        var names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]).keys)
        if names.isEmpty { names = Set(schema.numbers.filter { $0.value < Self.firstPrivateNumber }.keys) }
        if let stored = try StoredState.modelCache(connection).flatMap(ModelCache.read) {
            return Self.difference(stored.entityVersionHashesByName.filter { names.contains($0.key) }, own)
        }
        return Self.difference(names, Set(own.keys))
    }

    /// The entities of the framework's own, for history and CloudKit, have numbers from here.
    static let firstPrivateNumber = 16_000

    private static func difference(_ stored: [String: Data], _ own: [String: Data]) -> String? {
        if let names = difference(Set(stored.keys), Set(own.keys)) { return names }
        let changed = own.filter { stored[$0.key] != $0.value }.keys.sorted()
        return changed.isEmpty ? nil : "Changed: \(changed.joined(separator: ", "))."
    }

    private static func difference(_ stored: Set<String>, _ own: Set<String>) -> String? {
        guard stored != own else { return nil }
        let missing = stored.subtracting(own).sorted().joined(separator: ", ")
        let added = own.subtracting(stored).sorted().joined(separator: ", ")
        return
            "Only in the store: \(missing.isEmpty ? "none" : missing). Only in the model: \(added.isEmpty ? "none" : added)."
    }

    private func wrappingMismatch<Value>(_ metadata: [String: Any] = [:], _ body: () throws -> Value) throws
        -> Value
    {
        do { return try body() } catch let error as LayoutMismatch {
            throw Self.incompatible(error.sentence, metadata)
        }
    }

    private static func incompatible(_ reason: String, _ metadata: [String: Any]) -> CocoaError {
        CoreDataError(
            134100, "The model is not the one that wrote the store. \(reason)",
            remedy: "Let the store be migrated, or open it with the model that wrote it.",
            userInfo: ["metadata": metadata, "reason": reason]
        ).cocoa
    }
}

extension StoreLayout {
    /// Fills `Z_PRIMARYKEY` of a new store.
    func writeNumbers(_ connection: SQLiteConnection) throws {
        let statement = try connection.makeStatement(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for member in entities {
            let parent = member.entity.superentity.flatMap(table(of:))?.number ?? 0
            statement.bind(Int64(member.number), at: 1)
            statement.bind(member.entity.name ?? "", at: 2)
            statement.bind(Int64(parent), at: 3)
            try statement.run()
        }
    }
}
