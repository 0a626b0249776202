internal import StratusCoreData

// Operators over the rows of a collection.

extension PredicateCompiler {
    /// `@count`, `@sum` and so on of a collection.
    func collectionOperator(
        _ name: String, _ collection: RowCollection, _ keys: ArraySlice<String>, _ path: String
    ) throws -> Operand {
        switch name {
        case "@count":
            return try follow(keys, from: .scalar(count(collection)), path: path)
        case "@sum", "@avg", "@min", "@max":
            let selector = name == "@avg" ? "average:" : name.dropFirst() + ":"
            var values = collection
            values.element = try follow(keys, from: collection.element, path: path)
            return .scalar(try statistic(String(selector), over: values, path))
        case "@unionOfObjects", "@distinctUnionOfObjects":
            var values = collection
            values.element = try follow(keys, from: collection.element, path: path)
            let value = try scalar(values.element, name)
            values.scope.conditions.append("\(value.text) IS NOT NULL")
            values.isDistinct = name == "@distinctUnionOfObjects"
            return .collection(values)
        case "@firstObject", "@first":
            return try follow(keys, from: .object(try end(of: collection, isLast: false)), path: path)
        case "@lastObject", "@last":
            return try follow(keys, from: .object(try end(of: collection, isLast: true)), path: path)
        case "@allValues": return try follow(keys, from: .collection(collection), path: path)
        default: throw CoreDataError.notInSQL("\(name) in '\(path)'")
        }
    }

    /// The number of elements, in all levels.
    func count(_ collection: RowCollection) throws -> Scalar {
        var what: SQLPiece = "*"
        if collection.isDistinct {
            let value = try scalar(collection.element, "@count")
            what =
                value.kind == .string
                ? "DISTINCT stratus_precomposed(\(value.text))" : "DISTINCT \(value.text)"
        }
        return Scalar(
            text: "(SELECT COUNT(\(what))\(collection.scope.tail))", kind: .int,
            path: "\(collection.path).@count")
    }

    /// A statistic over the elements.
    func statistic(_ selector: String, over collection: RowCollection, _ path: String) throws -> Scalar {
        if selector == "count:" { return try count(collection) }
        if collection.isDistinct { throw CoreDataError.notInSQL("\(selector) over distinct values") }
        if case .collection = collection.element { throw CoreDataError.toManyKeyNotAllowed(path) }
        let value = try aggregate(selector, of: try scalar(collection.element, selector))
        return Scalar(text: "(SELECT \(value.text)\(collection.scope.tail))", kind: value.kind, path: path)
    }

    /// The aggregate function for a statistic over rows.
    func aggregate(_ selector: String, of value: Scalar) throws -> Scalar {
        switch selector {
        case "min:", "max:":
            switch value.kind {
            case .object, .entity, .opaque: throw CoreDataError.badArgument(selector, value.kind.name)
            case .exact: break
            default:
                return Scalar(text: "\(selector.dropLast().uppercased())(\(value.text))", kind: value.kind)
            }
        default:
            guard value.kind.isNumber || value.kind == .nothing else {
                throw CoreDataError.badArgument(selector, value.kind.name)
            }
        }
        // In two halves, which no number of rows can make overflow.
        let whole: SQLPiece =
            "SUM(\(value.text) >> 32) * 4294967296 + SUM(\(value.text) & 4294967295)"
        let own: SQLPiece = "stratus_statistic('\(selector)', '\(String(value.kind.letter))', \(value.text))"
        switch (selector, value.kind) {
        case ("sum:", .real), ("sum:", .bool):
            return Scalar(text: "coalesce(SUM(\(value.text)), 0)", kind: value.kind == .bool ? .int : .number)
        case ("sum:", .int): return Scalar(text: "coalesce(\(whole), 0)", kind: .number)
        case ("sum:", .number): return Scalar(text: "coalesce(\(own), 0)", kind: .number)
        case ("sum:", _): return Scalar(text: "coalesce(\(own), 0)", kind: .exact)
        case ("average:", .real), ("average:", .bool):
            return Scalar(text: "AVG(\(value.text))", kind: .real)
        case ("average:", .int):
            return Scalar(text: "CAST(\(whole) AS REAL) / COUNT(\(value.text))", kind: .real)
        case ("average:", _), ("median:", _), ("stddev:", _): return Scalar(text: own, kind: .real)
        case ("min:", _), ("max:", _): return Scalar(text: own, kind: .exact)
        default: throw CoreDataError.notInSQL(selector)
        }
    }

    /// `@count`, `@sum.price` over the rows of the statement itself.
    func rowAggregate(_ keys: [String], _ row: RowSource) throws -> Operand {
        usedAggregates = true
        let names = ["@sum": "sum:", "@avg": "average:", "@min": "min:", "@max": "max:"]
        if keys == ["@count"] { return .scalar(Scalar(text: "COUNT(*)", kind: .int)) }
        guard let selector = names[keys[0]], keys.count > 1 else {
            throw CoreDataError.notInSQL(keys.joined(separator: "."))
        }
        let value = try path(keys[1...], from: row, path: keys.joined(separator: "."))
        return .scalar(try aggregate(selector, of: try scalar(value, selector)))
    }

    /// `sum:(…)` and its relatives.
    func statistic(_ selector: String, _ argument: Operand) throws -> Operand {
        switch argument {
        case .collection(let collection):
            return .scalar(try statistic(selector, over: collection, collection.path))
        case .list(let elements):
            let flat = try Self.flattened(elements)
            if selector == "count:" { return .constant(.int(Int64(flat.count))) }
            return .scalar(try listStatistic(selector, flat))
        case .constant: throw CoreDataError.badArgument(selector, "a constant")
        case .scalar(let scalar):
            guard allowsAggregates else { return .scalar(try listStatistic(selector, [argument])) }
            usedAggregates = true
            if selector == "count:" {
                return .scalar(Scalar(text: "COUNT(\(scalar.text))", kind: .int))
            }
            return .scalar(try aggregate(selector, of: scalar))
        case .object(let object):
            guard selector == "count:" else { throw CoreDataError.badArgument(selector, "an object") }
            if allowsAggregates {
                usedAggregates = true
                return .scalar(Scalar(text: "COUNT(\(object.key))", kind: .int))
            }
            return .scalar(try listStatistic(selector, [argument]))
        }
    }

    /// A statistic over expressions of one row.
    private func listStatistic(_ selector: String, _ elements: [Operand]) throws -> Scalar {
        let values = try elements.map { try scalar($0, selector) }
        let isOrder = selector == "min:" || selector == "max:"
        let kinds = Set(values.map(\.kind)).subtracting([.nothing])
        if selector == "count:", let only = values.first {
            // One value that is not a list: nothing for nil.
            return Scalar(text: "(\(only.text) IS NOT NULL)", kind: .int)
        }
        guard kinds.allSatisfy(\.isNumber) || (isOrder && kinds.count == 1) else {
            throw CoreDataError.badArgument(selector, values.map(\.kind.name).joined(separator: " and "))
        }
        let letters = String(values.map(\.kind.letter))
        var call: SQLPiece = "stratus_value('\(selector)', '{\(letters)'"
        for value in values { call.append(", \(value.text)" as SQLPiece) }
        call.append(")")
        let kind: SQLKind
        switch selector {
        case "average:", "median:", "stddev:": kind = .real
        case "mode:": throw CoreDataError.notInSQL(selector)
        case "sum:": kind = .exact
        default:
            kind = kinds.count == 1 ? (kinds.first == .decimal ? .exact : kinds.first ?? .nothing) : .exact
        }
        return Scalar(text: call, kind: kind)
    }

    /// `base[FIRST]`, `base[2]`, `base[SIZE]`.
    func element(of base: Operand, at index: PredicateIndex) throws -> Operand {
        switch (base, index) {
        case (.collection(let collection), .size) where collection.depth == 1:
            return .scalar(try count(collection))
        case (.list(let elements), .size): return .constant(.int(Int64(elements.count)))
        case (.list(let elements), .first): return elements.first ?? .constant(.null)
        case (.list(let elements), .last): return elements.last ?? .constant(.null)
        case (.constant(let value), _):
            let tree = ExpressionTree.index(.constant(value), index)
            do { return .constant(try tree.value(on: nil)) } catch { throw CoreDataError.evaluation(error) }
        case (.collection(let collection), .first),
            (.collection(let collection), .expression(.constant(.int(0)))):
            return .object(try end(of: collection, isLast: false))
        case (.collection(let collection), .last): return .object(try end(of: collection, isLast: true))
        case (.collection(let collection), _):
            throw CoreDataError.notInSQL("An element of '\(collection.path)' by its place")
        default: throw CoreDataError.notACollection("the value", "[…]")
        }
    }

    /// The first or the last object of an ordered relationship.
    private func end(of collection: RowCollection, isLast: Bool) throws -> RowSource {
        guard let order = collection.order, let owner = collection.owner,
            case .object(let element) = collection.element
        else {
            throw CoreDataError.notInSQL(
                "The \(isLast ? "last" : "first") element of '\(collection.path)', which has no order,",
                "Make the relationship ordered, or use @max or @min of an attribute.")
        }
        // The tail of a bare relationship has no values to bind.
        let direction = isLast ? " DESC" : ""
        let key =
            "(SELECT \(element.key)\(collection.scope.tail.sql) "
            + "ORDER BY \(order)\(direction), \(element.key)\(direction) LIMIT 1)"
        return RowSource(scope: owner.scope, entity: element.entity, key: key, isOptional: true)
    }
}
