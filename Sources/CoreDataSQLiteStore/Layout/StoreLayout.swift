internal import StratusCoreData

/// Where everything of a model lives in a SQLite store (Documentation/CoreDataStore.md, 'Tables and columns').
///
/// Made from the model alone for a new store, and from the model and what the file really has for an existing
/// one. Immutable but for ``isForeign`` and ``takeForms(of:)``, which are set when a store is opened.
final class StoreLayout {
    let model: NSManagedObjectModel
    /// The entities that the store holds, in the order of their numbers.
    let entities: [EntityTable]
    /// The tables of the root entities, in the order of their numbers.
    let tables: [TableLayout]
    let joins: [JoinTable]
    /// Whether another program may have written the rows, so that some may have no entity.
    var isForeign = false
    /// The attributes whose columns are not as ``NSAttributeDescription/allowsExternalBinaryDataStorage`` says.
    private var otherwise: Set<ObjectIdentifier> = []
    private let byEntity: [ObjectIdentifier: EntityTable]
    private let byNumber: [Int: EntityTable]

    init(model: NSManagedObjectModel, entities: [EntityTable], tables: [TableLayout], joins: [JoinTable]) {
        self.model = model
        self.entities = entities
        self.tables = tables
        self.joins = joins
        byEntity = Dictionary(entities.map { (ObjectIdentifier($0.entity), $0) }) { first, _ in first }
        byNumber = Dictionary(entities.map { ($0.number, $0) }) { first, _ in first }
    }

    /// Where the entity is stored; nil where the store does not hold it.
    func table(of entity: NSEntityDescription) -> EntityTable? { byEntity[ObjectIdentifier(entity)] }

    // MARK: Marked columns

    /// Whether the values in an attribute's column begin with a mark: the byte 1, or 2 and a file's name.
    func isMarked(_ attribute: NSAttributeDescription) -> Bool {
        attribute.allowsExternalBinaryDataStorage
            != (!otherwise.isEmpty && otherwise.contains(ObjectIdentifier(attribute)))
    }

    /// Whether a column of an attribute, or of an element of a composite one, has marks, and so may name files.
    func hasMarks(_ attribute: NSAttributeDescription) -> Bool {
        FlatAttribute.all(attribute).contains { isMarked($0.attribute) }
    }

    /// Takes from the model that wrote the file which columns have marks (Documentation/CoreDataStore.md, 'External data').
    ///
    /// 'Allows External Storage' is no part of a version, so a store is opened by a model that says otherwise without a
    /// migration: reading and writing go on as the columns are.
    func takeForms(of stored: NSManagedObjectModel?) {
        guard let stored else { return }
        for table in entities {
            guard let known = stored.entitiesByName[table.entity.name ?? ""]?.attributesByName else {
                continue
            }
            for attribute in table.layout.attributeDescriptions.compactMap({ $0 }) {
                guard let other = known[attribute.name] else { continue }
                let others = FlatAttribute.all(other)
                for part in FlatAttribute.all(attribute) {
                    guard let before = others.first(where: { $0.path == part.path })?.attribute,
                        before.allowsExternalBinaryDataStorage
                            != part.attribute.allowsExternalBinaryDataStorage
                    else { continue }
                    otherwise.insert(ObjectIdentifier(part.attribute))
                }
            }
        }
    }

    /// Whether any column may have marks.
    var hasBytes: Bool {
        entities.contains { table in
            table.layout.attributeDescriptions.contains { $0?.mayHaveMarks ?? false }
        }
    }

    /// The entity of a `Z_ENT`; nil for a number that the model knows nothing of.
    func entity(number: Int) -> EntityTable? { byNumber[number] }

    /// The entity of a row of a table; nil for a `Z_ENT` whose objects lie in another table: a file of others may
    /// hold any number, and such a row is no object.
    func entity(number: Int64, in table: TableLayout) -> EntityTable? {
        let found = byNumber[Int(truncatingIfNeeded: number)]
        return found?.table === table ? found : nil
    }
}

/// The columns that a fetch of objects reads, and where each slot of each entity is among them.
///
/// A row is `Z_PK`, `Z_ENT`, `Z_OPT`, then ``columns``.
final class RowShape {
    /// The columns after the three of the system, ready for a statement.
    let columns: [String]
    /// For each entity of the family, by its number in the store: the position of each stored slot in the row, the
    /// first of a composite or to-one; -1 for what has none.
    private let places: [Int: [Int32]]
    private let members: [Int: EntityTable]
    /// The same without the system's columns, by the entity's number in the model, whose families are ranges.
    let placesByModelNumber: [[Int32]]
    let firstModelNumber: Int
    let entity: EntityTable
    private let storages: [ObjectIdentifier: SlotStorage]

    init(_ entity: EntityTable, includesSubentities: Bool, in layout: StoreLayout) {
        self.entity = entity
        var columns: [String] = []
        var known: [String: Int32] = [:]
        var places: [Int: [Int32]] = [:]
        for number in includesSubentities ? entity.family : [entity.number] {
            guard let member = layout.entity(number: number) else { continue }
            places[number] = (0..<member.layout.storedCount).map { slot in
                let names = member.slots[slot].rowColumns
                guard let first = names.first else { return -1 }
                if let place = known[first] { return place }
                for name in names {
                    known[name] = Int32(columns.count) + 3
                    columns.append(name)
                }
                return known[first] ?? -1
            }
        }
        self.columns = columns
        self.places = places
        let members = places.keys.compactMap(layout.entity(number:)).sorted {
            $0.layout.number < $1.layout.number
        }
        firstModelNumber = members.first?.layout.number ?? 0
        var byModel: [[Int32]] = []
        var storages: [ObjectIdentifier: SlotStorage] = [:]
        for member in members {
            while byModel.count <= member.layout.number - firstModelNumber { byModel.append([]) }
            byModel[member.layout.number - firstModelNumber] = (places[member.number] ?? []).map {
                $0 < 0 ? -1 : $0 - 3
            }
            for (property, storage) in zip(member.layout.properties, member.slots) {
                storages[ObjectIdentifier(property)] = storage
            }
        }
        placesByModelNumber = byModel
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.number, $0) })
        self.storages = storages
    }

    /// Where a property of the family lives.
    func storage(_ property: NSPropertyDescription) -> SlotStorage? { storages[ObjectIdentifier(property)] }

    /// Whether the entity number of a to-one relationship's destination follows its key.
    func hasEntityColumn(_ relationship: NSRelationshipDescription) -> Bool {
        guard case .toOne(let columns)? = storage(relationship) else { return false }
        return columns.entity != nil
    }

    /// The positions of the slots of an entity of the family; nil for a number that is not a member.
    func places(number: Int) -> [Int32]? { places[number] }

    /// The member of the family that a row's `Z_ENT` names; nil for any other row of the table. The condition of a fetch
    /// leaves those out, but an index that is damaged gives them all the same.
    func member(number: Int64) -> EntityTable? { members[Int(truncatingIfNeeded: number)] }

    /// `t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME …`
    func selectList(_ alias: String) -> String {
        (["Z_PK", "Z_ENT", "Z_OPT"] + columns).map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}

extension SlotStorage {
    /// The columns of the object's own row that hold the value.
    var rowColumns: [String] {
        switch self {
        case .column(let name): [name]
        case .composite(let columns): columns.map(\.column)
        case .toOne(let columns): [columns.key] + (columns.entity.map { [$0] } ?? [])
        case .none, .toManyKey, .join: []
        }
    }
}

extension NSAttributeDescription {
    /// Whether its values are bytes, which a mark may precede.
    fileprivate var mayHaveMarks: Bool {
        switch attributeType {
        case .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType,
            .objectIDAttributeType, .compositeAttributeType:
            !isTransient
        default: false
        }
    }
}
