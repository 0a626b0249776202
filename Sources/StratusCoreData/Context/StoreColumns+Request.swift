extension StoreColumns {
    /// The columns that a request with dictionary results asks for; all stored attributes where it names none.
    ///
    /// - Throws: `CocoaError` for a name that the entity lacks, a having predicate without groups.
    init(_ request: AnyFetchRequest, entity: NSEntityDescription) throws {
        let layout = entity.layout
        let named =
            request.propertiesToFetch
            ?? (Array(layout.attributes) + Array(layout.toOnes)).map { layout.properties[$0] as Any }
        columns = try named.map { try Self.column($0, entity) }
        isDistinct = request.returnsDistinctResults
        groupBy = try (request.propertiesToGroupBy ?? []).map { try Self.path($0, entity) }
        if let having = request.havingPredicate {
            guard !groupBy.isEmpty else {
                throw CoreDataError(
                    134060, "A having predicate needs groups.", remedy: "Set propertiesToGroupBy too."
                ).cocoa
            }
            do { self.having = try PredicateTree(having) } catch {
                throw CoreDataError(134060, error.message, remedy: error.remedy, cause: error).cocoa
            }
        }
    }

    private static func column(_ any: Any, _ entity: NSEntityDescription) throws -> Column {
        if let description = any as? NSExpressionDescription {
            guard let expression = description.expression else {
                throw CoreDataError(
                    134060, "The expression description '\(description.name)' has no expression.",
                    remedy: "Set its expression."
                ).cocoa
            }
            return Column(
                name: description.name, expression: expression.tree, type: description.expressionResultType)
        }
        let path = try path(any, entity)
        let type =
            path.count == 1 ? entity.attributesByName[path[0]]?.attributeType ?? .undefinedAttributeType : nil
        return Column(
            name: path.joined(separator: "."), expression: .keyPath(path),
            type: type ?? .undefinedAttributeType)
    }

    private static func path(_ any: Any, _ entity: NSEntityDescription) throws -> [String] {
        let text: String
        switch any {
        case let property as NSPropertyDescription: text = property.name
        case let name as String: text = name
        default:
            throw CoreDataError(
                134060, "\(type(of: any)) cannot be fetched as a property.",
                remedy: "Give names, property descriptions or expression descriptions."
            ).cocoa
        }
        let path = text.split(separator: ".").map(String.init)
        guard let first = path.first,
            entity.withDescendants.contains(where: { $0.layout.slots[first] != nil }) || first == "objectID"
        else {
            throw CoreDataError(
                134060, "The entity \(entity.name ?? "?") has no property '\(text)'.",
                remedy: "It has: \(entity.layout.slots.keys.sorted().joined(separator: ", "))."
            ).cocoa
        }
        return path
    }
}
