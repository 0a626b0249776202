extension StoreFetch {
    /// The fetch as a request of the public kind.
    func request(_ resultType: NSFetchRequestResultType) -> AnyFetchRequest {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        request.resultType = resultType
        request.includesSubentities = includesSubentities
        request.predicate = predicate.map { NSPredicate($0) }
        if !sort.isEmpty { request.sortDescriptors = sort.map(\.descriptor) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.affectedStores = stores
        return request
    }

    /// The fetch of dictionaries as a request of the public kind.
    func request(_ columns: StoreColumns) -> AnyFetchRequest {
        let request = request(.dictionaryResultType)
        request.propertiesToFetch = columns.columns.map { column -> Any in
            if case .keyPath(let path) = column.expression, path.joined(separator: ".") == column.name {
                return column.name
            }
            let description = NSExpressionDescription()
            description.name = column.name
            description.expression = Predicates.NSExpression(tree: column.expression)
            description.expressionResultType = column.type
            return description
        }
        request.returnsDistinctResults = columns.isDistinct
        if !columns.groupBy.isEmpty {
            request.propertiesToGroupBy = columns.groupBy.map { $0.joined(separator: ".") }
        }
        request.havingPredicate = columns.having.map { NSPredicate($0) }
        return request
    }
}

extension StoreSort {
    /// The key of an order as a sort descriptor.
    var descriptor: NSSortDescriptor {
        let key = path.joined(separator: ".")
        let selector: Selector? =
            switch comparison {
            case .values: nil
            case .caseInsensitive: "caseInsensitiveCompare:"
            case .localized(_, numeric: true): "localizedStandardCompare:"
            case .localized(caseInsensitive: true, _): "localizedCaseInsensitiveCompare:"
            case .localized: "localizedCompare:"
            }
        return NSSortDescriptor(key: key, ascending: ascending, selector: selector)
    }
}
