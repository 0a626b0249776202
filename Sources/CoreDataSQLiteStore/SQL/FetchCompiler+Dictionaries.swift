internal import StratusCoreData

/// A statement whose rows become dictionaries.
struct DictionaryStatement {
    /// A column of its rows.
    struct Column {
        /// The key in the dictionary.
        var name: String
        var kind: SQLKind
        /// The type that the value is converted to; undefined leaves it.
        var type: NSAttributeType
        /// The entity, where the value is the key of an object.
        var destination: NSEntityDescription?
        /// The attribute, where the column is one: its stored form may need decoding.
        var attribute: NSAttributeDescription?
    }

    var text: SQLPiece
    var columns: [Column]
}

extension FetchCompiler {
    /// The dictionaries of a fetch.
    ///
    /// Statistics over a to-many path are those of each object; statistics over an attribute, `count:`, `sum:`
    /// and so on, run over the rows, or over each group. `having` may name columns of the result as `$name` or
    /// as a key.
    func dictionaries(_ fetch: StoreFetch, _ columns: StoreColumns) throws -> DictionaryStatement {
        let (compiler, row) = try start(fetch)
        if let predicate = fetch.predicate {
            row.scope.conditions.append(try compiler.condition(predicate, row))
        }
        compiler.allowsAggregates = true
        var selected: [SQLPiece] = []
        var result: [DictionaryStatement.Column] = []
        var plain: [String] = []
        var plainTexts: [String] = []
        var isAggregate = false
        for column in columns.columns {
            compiler.usedAggregates = false
            let operand = try compiler.operand(column.expression, row)
            let value = try compiler.scalar(operand, "The column '\(column.name)'")
            isAggregate = isAggregate || compiler.usedAggregates
            if !compiler.usedAggregates, !value.text.isConstant {
                plain.append(column.name)
                plainTexts.append(value.text.sql)
            }
            compiler.namedColumns[column.name] = value
            selected.append(value.text)
            result.append(self.column(column, operand, value, row))
        }
        let groups = try groups(columns, compiler, row)
        if isAggregate || !groups.isEmpty {
            let known = Set(groups.map(\.sql))
            for (name, text) in zip(plain, plainTexts) where !known.contains(text) {
                throw CoreDataError(
                    134060, "'\(name)' is neither an aggregate nor among the properties to group by.",
                    remedy: "Add it to propertiesToGroupBy, or remove it from propertiesToFetch."
                ).cocoa
            }
        }
        var having: SQLPiece = ""
        if let predicate = columns.having {
            guard !groups.isEmpty else {
                throw CoreDataError(
                    134060, "havingPredicate needs propertiesToGroupBy.", remedy: "Group, or use predicate."
                ).cocoa
            }
            having = " HAVING \(try compiler.condition(predicate, row))"
        }
        let isPlain = !isAggregate && groups.isEmpty && !columns.isDistinct
        let order = try compiler.order(fetch.sort, row, tie: isPlain)
        var text: SQLPiece = "SELECT \(columns.isDistinct ? "DISTINCT " : "" as String)"
        text.append(SQLPiece.joined(selected, ", "))
        text.append(row.scope.tail)
        if !groups.isEmpty { text.append(" GROUP BY \(SQLPiece.joined(groups, ", "))" as SQLPiece) }
        text.append(having)
        text.append(order)
        text.append(Self.limit(fetch))
        return DictionaryStatement(text: text, columns: result)
    }

    private func groups(
        _ columns: StoreColumns, _ compiler: PredicateCompiler, _ row: RowSource
    ) throws -> [SQLPiece] {
        try columns.groupBy.map { keys in
            compiler.usedAggregates = false
            let value = try compiler.scalar(try compiler.rootPath(keys, row), "propertiesToGroupBy")
            guard !compiler.usedAggregates else {
                throw CoreDataError.notInSQL("A group by '\(keys.joined(separator: "."))'")
            }
            return value.text
        }
    }

    private func column(
        _ column: StoreColumns.Column, _ operand: Operand, _ value: Scalar, _ row: RowSource
    ) -> DictionaryStatement.Column {
        var result = DictionaryStatement.Column(name: column.name, kind: value.kind, type: column.type)
        if case .object(let object) = operand { result.destination = object.entity.entity }
        if case .keyPath(let keys) = column.expression {
            result.attribute = attribute(keys, of: fetchEntity(row))
        }
        return result
    }

    private func fetchEntity(_ row: RowSource) -> NSEntityDescription { row.entity.entity }

    /// The attribute at the end of a path over to-one relationships.
    private func attribute(_ keys: [String], of entity: NSEntityDescription) -> NSAttributeDescription? {
        var layout = entity.layout
        for (index, key) in keys.enumerated() {
            guard let slot = layout.slots[key] else { return nil }
            if index == keys.count - 1 { return layout.attributeDescriptions[slot] }
            guard let next = layout.relationshipDescriptions[slot]?.destinationEntity else { return nil }
            layout = next.layout
        }
        return nil
    }
}

extension SQLPiece {
    /// Whether it is one bound value.
    fileprivate var isConstant: Bool { sql == "?" }
}
