internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// A SQLite file in the layout of Apple's framework, or the same in memory.
///
/// Unchecked sendable as all stores are: used under the coordinator's lock.
final class SQLiteObjectStore: NSPersistentStore, GraphStore, @unchecked Sendable {
    /// What is there while the store is open.
    private(set) var open: OpenStore?
    /// Whether the metadata in memory are newer than those in the file.
    var metadataIsDirty = false
    /// A store in memory is a store at `/dev/null`.
    var isInMemory: Bool { url?.isNullDevice ?? true || typeOfNewStore == NSInMemoryStoreType }

    override var type: String { metadata?[NSStoreTypeKey] as? String ?? NSSQLiteStoreType }

    override var metadata: [String: Any]! { didSet { metadataIsDirty = true } }

    /// The type that a new store's metadata name.
    private var typeOfNewStore: String { options?[StoreTypeOption.key] as? String ?? NSSQLiteStoreType }

    /// - Throws: `CocoaError` with code 134100 where the file was written by another model, 134080 where it
    ///   cannot be opened, 134180 where SQLite refuses.
    override func loadMetadata() throws {
        guard let model = persistentStoreCoordinator?.managedObjectModel else {
            throw CoreDataError(134060, "The store has no coordinator.").cocoa
        }
        try load(model)
    }

    /// Opens the store for a model, making it where there is none.
    func load(_ model: NSManagedObjectModel) throws {
        let configuration = configurationName == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configurationName
        let opening = StoreOpening(
            url: isInMemory ? nil : url,
            settings: try StoreSettings(options, isReadOnly: isReadOnly, isInMemory: isInMemory),
            model: model, configuration: configuration, type: typeOfNewStore)
        let result = try opening.open()
        metadata = result.metadata
        metadataIsDirty = false
        identifier = result.metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        open = try OpenStore(result, store: self)
    }

    var hasUnsavedMetadata: Bool { metadataIsDirty }

    func execute(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult {
        switch request {
        case let request as NSPersistentHistoryChangeRequest: try history(request)
        case let request as NSBatchInsertRequest:
            try BatchInsert(request, self, try writable(), context).run()
        case let request as NSBatchUpdateRequest:
            try BatchUpdate(request, self, try writable(), context).run()
        case let request as NSBatchDeleteRequest:
            try BatchDelete(request, self, try writable(), context).run()
        default: throw CoreDataError.unsupportedRequest("\(Swift.type(of: request))", type).cocoa
        }
    }

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) { followOthers() }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { close() }

    /// Closes the file.
    func close() {
        open?.close()
        open = nil
    }

    deinit { open?.close() }

    /// - Throws: `CocoaError` where the store was removed.
    func opened() throws -> OpenStore {
        guard let open else { throw CoreDataError.storeIsClosed(url).cocoa }
        return open
    }

    /// - Throws: `CocoaError` where the store was removed or may not be changed.
    func writable() throws -> OpenStore {
        let open = try opened()
        guard !isReadOnly else { throw CoreDataError.readOnlyStore(url).cocoa }
        return open
    }

    /// The model that the store carries, where it carries one that can be read.
    func storedModel() throws -> NSManagedObjectModel? {
        try StoredState.modelCache(try opened().connection).flatMap(ModelCache.read)
    }

    func saveMetadata() throws {
        guard metadataIsDirty else { return }
        let open = try writable()
        try open.connection.transaction { try writeMetadataIfDirty(open) }
        metadataIsDirty = false
    }

    /// Within a transaction.
    func writeMetadataIfDirty(_ open: OpenStore) throws {
        guard metadataIsDirty, let metadata else { return }
        try StoredState.write(metadata, identifier: identifier, open.connection)
    }
}

/// What a store has while it is open.
final class OpenStore {
    let connection: SQLiteConnection
    let layout: StoreLayout
    let files: ExternalFiles?
    let rows: RowContext
    let settings: StoreSettings
    /// The path that further connections open; nil in memory.
    let path: String?
    private var shapes: [ShapeKey: RowShape] = [:]
    /// How each entity's rows are written.
    private var writers: [Int: RowWriter] = [:]
    private var lastWriter: RowWriter?
    private(set) lazy var derived = DerivedAttributes(layout)
    /// The history's writer; nil unless the option is set.
    let history: HistoryWriter?
    /// Looks after commits of others, where the options ask for it.
    var monitor: RemoteChangeMonitor?
    /// How far these are known.
    var remote: RemoteState?
    /// SQLite's count of the commits of other connections when the store was opened.
    private(set) var versionAtOpening: Int64 = 0
    private struct ShapeKey: Hashable {
        var number: Int
        var includesSubentities: Bool
    }

    init(_ result: StoreOpening.Result, store: SQLiteObjectStore) throws {
        connection = result.connection
        layout = result.layout
        files = result.files
        settings = result.settings
        path = result.path
        rows = RowContext(store: store, layout: result.layout, files: result.files)
        history =
            result.settings.tracksHistory && !result.settings.isReadOnly
            ? try HistoryWriter(result.connection, result.layout, result.schema) : nil
        versionAtOpening = try dataVersion()
    }

    /// The connection for reading: that of a generation, or the store's.
    func reading(_ generation: (any StoreGeneration)?) -> SQLiteConnection {
        (generation as? SQLiteGeneration)?.connection ?? connection
    }

    /// - Throws: `CocoaError` for an entity of another store.
    func table(of entity: NSEntityDescription) throws -> EntityTable {
        guard let table = layout.table(of: entity) else { throw CoreDataError.notInStore(entity).cocoa }
        return table
    }

    func shape(_ table: EntityTable, includesSubentities: Bool) -> RowShape {
        let key = ShapeKey(number: table.number, includesSubentities: includesSubentities)
        if let shape = shapes[key] { return shape }
        let shape = RowShape(table, includesSubentities: includesSubentities, in: layout)
        shapes[key] = shape
        return shape
    }

    func writer(_ table: EntityTable) -> RowWriter {
        if let writer = writers[table.number] { return writer }
        let writer = RowWriter(table, connection, layout, files)
        writers[table.number] = writer
        return writer
    }

    /// The writer of an entity's rows; most saves write many rows of one entity after another.
    func writer(of layout: EntityLayout) throws -> RowWriter {
        if let lastWriter, lastWriter.table.layout === layout { return lastWriter }
        let writer = writer(try table(of: layout.entity))
        lastWriter = writer
        return writer
    }

    func close() {
        monitor = nil
        lastWriter = nil
        writers.removeAll()
        history?.forget()
        connection.close()
    }
}
