/// Makes the faults of one fetch.
///
/// The rows of a fetch are of one table, nearly always, so what does not differ from row to row is looked up once.
struct FaultFactory {
    private let context: NSManagedObjectContext
    private var table: ObjectRegistry.Table?
    private var anchor: StoreAnchor?
    private var rootNumber = -1

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// The object of a key, if the context has it.
    mutating func known(_ key: Int64, _ layout: EntityLayout, _ anchor: StoreAnchor) -> NSManagedObject? {
        if self.anchor !== anchor || rootNumber != layout.rootNumber {
            self.anchor = anchor
            rootNumber = layout.rootNumber
            table = context.registry.table(store: anchor, rootNumber: rootNumber)
        }
        return table?.object(key)
    }

    /// A new fault for a row; asked for after ``known(_:_:_:)``.
    func make(_ key: Int64, _ row: FetchedRow) -> NSManagedObject {
        let layout = row.layout
        let objectID = NSManagedObjectID(reference: .row(key), layout: layout, anchor: anchor)
        let object = ObjectBirth.make(layout.objectClass, layout: layout, objectID: objectID, isFault: true)
        object.snapshot = row.snapshot
        table?.enter(object, key)
        return object
    }
}
