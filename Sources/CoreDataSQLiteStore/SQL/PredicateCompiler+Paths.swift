internal import SQLiteAccess
internal import StratusCoreData

// Key paths: columns, joins over to-one relationships, and SELECTs over to-many ones.

extension PredicateCompiler {
    /// A path from the statement's own object.
    func rootPath(_ keys: [String], _ row: RowSource) throws -> Operand {
        if keys.count == 1, row.entity.layout.slots[keys[0]] == nil, let column = namedColumns[keys[0]] {
            return .scalar(column)
        }
        if keys[0].first == "@", allowsAggregates { return try rowAggregate(keys, row) }
        return try path(keys[...], from: row, path: keys.joined(separator: "."))
    }

    func path(_ keys: ArraySlice<String>, from row: RowSource, path text: String) throws -> Operand {
        guard let key = keys.first else { return .object(row) }
        let rest = keys.dropFirst()
        guard let slot = row.entity.layout.slots[key] else {
            return try virtualKey(key, rest, row, text)
        }
        switch row.entity.slots[slot] {
        case .none: throw unreadable(row.entity, slot, text)
        case .column(let name):
            return try follow(rest, from: .scalar(attribute(row, slot, name, text)), path: text)
        case .composite(let columns): return try composite(columns, rest, row, text)
        case .toOne(let columns):
            return try path(rest, from: try row.toOne(slot, columns, self), path: text)
        case .toManyKey, .join:
            let start = try toMany(slot, of: row, path: text)
            return try collected(rest, start, path: text)
        }
    }

    /// The rest of a path, from anything.
    func follow(_ keys: ArraySlice<String>, from operand: Operand, path text: String) throws -> Operand {
        guard let key = keys.first else { return operand }
        switch operand {
        case .object(let row): return try path(keys, from: row, path: text)
        case .collection(let collection): return try collected(keys, collection, path: text)
        case .scalar(let scalar):
            return try follow(
                keys.dropFirst(), from: .scalar(try property(key, of: scalar, text)), path: text)
        case .constant(let value):
            let tree = ExpressionTree.member(.constant(value), Array(keys))
            do { return .constant(try tree.value(on: nil)) } catch { throw CoreDataError.evaluation(error) }
        case .list: throw CoreDataError.notInSQL("The key '\(key)' of a list")
        }
    }

    private func attribute(_ row: RowSource, _ slot: Int, _ name: String, _ text: String) -> Scalar {
        let attribute = row.entity.layout.attributeDescriptions[slot]
        return Scalar(
            text: SQLPiece(row.column(name, self)), kind: kind(of: attribute), isColumn: true, path: text)
    }

    private func kind(of attribute: NSAttributeDescription?) -> SQLKind {
        guard let attribute else { return .opaque }
        // The bytes of a value that may be in a file are not in the column as they are.
        if layout.isMarked(attribute) { return .opaque }
        return SQLKind(attribute.attributeType)
    }

    private func composite(
        _ columns: [CompositeColumn], _ keys: ArraySlice<String>, _ row: RowSource, _ text: String
    ) throws -> Operand {
        let found = columns.filter { keys.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
        guard let column = found else {
            throw CoreDataError.notStored(text, "a composite attribute or no element of one")
        }
        let scalar = Scalar(
            text: SQLPiece(row.column(column.column, self)), kind: kind(of: column.attribute), isColumn: true,
            path: text)
        return try follow(keys.dropFirst(column.path.count), from: .scalar(scalar), path: text)
    }

    private func unreadable(_ entity: EntityTable, _ slot: Int, _ path: String) -> CocoaError {
        let property = entity.layout.properties[slot]
        if property is NSFetchedPropertyDescription {
            return CoreDataError.notStored(path, "a fetched property")
        }
        if property.isTransient { return CoreDataError.transientKey(path, in: entity.entity) }
        return CoreDataError.notStored(path, "not in this store")
    }

    private func virtualKey(
        _ key: String, _ rest: ArraySlice<String>, _ row: RowSource, _ text: String
    ) throws -> Operand {
        switch key {
        case "self", "SELF": return try path(rest, from: row, path: text)
        case "objectID" where rest.isEmpty: return .object(row)
        case "entity" where rest.isEmpty:
            return .scalar(Scalar(text: SQLPiece(row.column("Z_ENT", self)), kind: .entity, path: text))
        case "entity" where rest == ["name"]:
            var name: SQLPiece = "CASE \(row.column("Z_ENT", self))"
            for number in row.entity.family {
                let entity = layout.entity(number: number)?.entity.name ?? ""
                name.append(" WHEN \(bind: .int(Int64(number))) THEN \(bind: .text(entity))" as SQLPiece)
            }
            name.append(" END")
            return .scalar(Scalar(text: name, kind: .string, path: text))
        case _ where key.first == "@": throw CoreDataError.notACollection(row.entity.entity.name ?? "?", key)
        default: throw CoreDataError.unknownKey(key, path: text, in: row.entity.entity)
        }
    }

    // MARK: To-many

    /// The objects of a to-many relationship, in a SELECT of their own.
    private func toMany(_ slot: Int, of row: RowSource, path: String) throws -> RowCollection {
        let destination = try destination(of: row.entity.layout.relationshipDescriptions[slot])
        let alias = newAlias()
        let scope: SelectScope
        let element: RowSource
        let order: String?
        switch row.entity.slots[slot] {
        case .toManyKey(let many):
            order = many.order
            scope = SelectScope(source: "\(many.table.sqlName) \(alias)")
            scope.conditions.append("\(alias).\(many.key) = \(row.key)")
            element = RowSource(
                scope: scope, entity: destination, key: "\(alias).Z_PK", isOptional: false, alias: alias)
        case .join(let side):
            order = side.order
            scope = SelectScope(source: "\(side.table.sqlName) \(alias)")
            scope.conditions.append("\(alias).\(side.own) = \(row.key)")
            element = RowSource(
                scope: scope, entity: destination, key: "\(alias).\(side.other)", isOptional: false)
        default: throw CoreDataError.notStored(path, "no to-many relationship")
        }
        return RowCollection(
            scope: scope, element: .object(element), order: order.map { "\(alias).\($0)" }, owner: row,
            path: path)
    }

    /// The objects of a to-many relationship of the elements, in the same SELECT.
    ///
    /// An element without an object on the way gives one null, as in memory; one whose collection is empty gives
    /// nothing.
    private func joinToMany(_ slot: Int, of row: RowSource, in scope: SelectScope) throws -> RowSource {
        let destination = try destination(of: row.entity.layout.relationshipDescriptions[slot])
        let alias = newAlias()
        let word = row.isOptional ? "LEFT JOIN" : "JOIN"
        let key: String
        let element: RowSource
        switch row.entity.slots[slot] {
        case .toManyKey(let many):
            scope.join("\(word) \(many.table.sqlName) \(alias) ON \(alias).\(many.key) = \(row.key)")
            key = "\(alias).Z_PK"
            element = RowSource(
                scope: scope, entity: destination, key: key, isOptional: row.isOptional, alias: alias)
        case .join(let side):
            scope.join("\(word) \(side.table.sqlName) \(alias) ON \(alias).\(side.own) = \(row.key)")
            key = "\(alias).\(side.other)"
            element = RowSource(scope: scope, entity: destination, key: key, isOptional: row.isOptional)
        default: throw CoreDataError.notStored("?", "no to-many relationship")
        }
        if row.isOptional { scope.conditions.append("\(row.key) IS NULL OR \(key) IS NOT NULL") }
        return element
    }

    /// The rest of a path from the elements of a collection.
    private func collected(
        _ keys: ArraySlice<String>, _ start: RowCollection, path text: String
    ) throws -> Operand {
        guard let first = keys.first else { return .collection(start) }
        if first.first == "@" { return try collectionOperator(first, start, keys.dropFirst(), text) }
        var collection = start
        collection.order = nil
        var keys = keys
        while let key = keys.first {
            guard case .object(let row) = collection.element else { break }
            guard let slot = row.entity.layout.slots[key] else { break }
            switch row.entity.slots[slot] {
            case .toOne(let columns): collection.element = .object(try row.toOne(slot, columns, self))
            case .toManyKey, .join:
                if keys.dropFirst().first?.first == "@" {
                    // An operator belongs to the element that it is reached from.
                    collection.element = try path(keys, from: row, path: text)
                    if case .collection = collection.element { throw CoreDataError.toManyKeyNotAllowed(text) }
                    return .collection(collection)
                }
                collection.element = .object(try joinToMany(slot, of: row, in: collection.scope))
                collection.depth += 1
            default:
                collection.element = try path(keys, from: row, path: text)
                return .collection(collection)
            }
            keys = keys.dropFirst()
        }
        collection.element = try follow(keys, from: collection.element, path: text)
        return .collection(collection)
    }
}
