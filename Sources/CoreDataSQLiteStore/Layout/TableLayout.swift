internal import StratusCoreData

/// One table of the store: that of a root entity and all that inherit from it.
final class TableLayout {
    /// `ZBOOK`, not quoted.
    let name: String
    /// The name as it appears in a statement.
    let sqlName: String
    let root: NSEntityDescription
    /// Whether objects of more than one entity can be in the table.
    let hasSubentities: Bool
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of the file.
    let columns: [TableColumn]

    init(name: String, root: NSEntityDescription, columns: [TableColumn]) {
        self.name = name
        self.sqlName = SQLName.quoted(name)
        self.root = root
        self.hasSubentities = !root.subentities.isEmpty
        self.columns = columns
    }
}

/// A column of a table.
struct TableColumn {
    /// Not quoted.
    var name: String
    /// `INTEGER`, `VARCHAR` and so on.
    var type: String
    /// Whether it is the key of a relationship, which has an index of its own.
    var isKey = false
}

/// One entity in its table.
final class EntityTable {
    let entity: NSEntityDescription
    let layout: EntityLayout
    /// The entity's number in this store, which is what `Z_ENT` holds; it may differ from `EntityLayout.number`.
    let number: Int
    /// The numbers of the entity and of all that inherit from it, in this store.
    let family: [Int]
    let table: TableLayout
    /// Where each slot of the entity lives; as many as the layout has properties.
    let slots: [SlotStorage]

    init(
        entity: NSEntityDescription, number: Int, family: [Int], table: TableLayout, slots: [SlotStorage]
    ) {
        self.entity = entity
        self.layout = entity.layout
        self.number = number
        self.family = family
        self.table = table
        self.slots = slots
    }

    /// The storage of a property by name, or nil.
    func storage(_ name: String) -> SlotStorage? { layout.slots[name].map { slots[$0] } }
}

/// Where the value of a property lives. Names of columns are ready for a statement.
enum SlotStorage {
    /// Transient, or fetched: not in the store.
    case none
    /// An attribute: one column of the object's table.
    case column(String)
    /// A composite attribute: a column for each element, in the order of the elements, nested ones in place.
    case composite([CompositeColumn])
    case toOne(ToOneColumns)
    /// A to-many relationship whose key is at the other side.
    case toManyKey(ToManyKey)
    /// A many-to-many relationship.
    case join(JoinSide)
}

/// A column of an element of a composite attribute.
struct CompositeColumn {
    /// The names of the elements that lead to it, without the attribute's own.
    var path: [String]
    var column: String
    var attribute: NSAttributeDescription
}

/// The columns of a to-one relationship, in its own table.
struct ToOneColumns {
    /// The key of the destination.
    var key: String
    /// The column with the entity number of the destination, where that has subentities.
    var entity: String?
    /// The column with the position among the objects of the other side's ordered relationship.
    var order: String?
}

/// Where the keys of a one-to-many relationship are: in the destination's table.
struct ToManyKey {
    /// The destination's table.
    var table: TableLayout
    /// The column that holds the key of this side.
    var key: String
    /// The column with this side's entity number, where there is one.
    var entity: String?
    /// The column with the order, where the relationship has one.
    var order: String?
    /// Whether the to-one side is a property of its own, which writes the key.
    var hasInverse: Bool
}

/// A many-to-many relationship seen from one side.
struct JoinSide {
    var table: JoinTable
    /// The column with the keys of this side's objects.
    var own: String
    /// The column with the keys of the other side's objects.
    var other: String
    /// The column with the order of the other side's objects for an object of this side.
    var order: String?
    /// The column with the order in which the other side sees objects of this side.
    var otherOrder: String?
    /// The table of the other side's objects.
    var destination: TableLayout
    /// Whether both sides are one property: then each pair is stored both ways.
    var isOwnInverse: Bool
}

/// The table of a many-to-many relationship.
final class JoinTable {
    /// Not quoted.
    let name: String
    let sqlName: String
    /// The column with the keys of the owner's objects, not quoted.
    let first: String
    /// The column with the keys of the objects at the other side, not quoted.
    let second: String
    /// The columns with the order, after the two keys.
    let orders: [String]

    init(name: String, first: String, second: String, orders: [String]) {
        self.name = name
        self.sqlName = SQLName.quoted(name)
        self.first = first
        self.second = second
        self.orders = orders
    }
}
