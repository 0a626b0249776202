internal import Foundation
internal import Predicates

extension ArchivedModelReader {
    mutating func relationship(_ item: ArchivedItem, of owner: String) throws -> RelationshipDocument {
        let name = try propertyName(item, of: owner)
        let title = "relationship '\(name)' of '\(owner)'"
        var relationship = RelationshipDocument(name: name)
        let rule = item["NSDeleteRule"]?.int ?? 0
        guard let known = Int(exactly: rule).flatMap({ RelationshipDeleteRule(rawValue: $0) }) else {
            throw ModelDocumentError(
                .value("\(rule)", expected: "the number of a delete rule"), element: title,
                attribute: "NSDeleteRule")
        }
        relationship.deleteRule = known
        relationship.isOptional = item["NSIsOptional"]?.bool ?? false
        relationship.isTransient = item["NSIsTransient"]?.bool ?? false
        relationship.isOrdered = item["NSIsOrdered"]?.bool ?? false
        relationship.isIndexed = item["NSIsIndexed"]?.bool ?? false
        relationship.isSpotlightIndexed = item["NSIndexedBySpotlight"]?.bool ?? false
        // -1 also stands for any number.
        relationship.minCount = max(0, Int(item["NSMinCount"]?.int ?? 0))
        relationship.maxCount = max(0, Int(item["NSMaxCount"]?.int ?? 0))
        relationship.destinationEntityName =
            item["_NSDestinationEntityName"]?.string ?? item["NSDestinationEntity"]?["NSEntityName"]?.string
        relationship.inverseName =
            item["_NSInverseRelationshipName"]?.string
            ?? item["NSInverseRelationship"]?["NSPropertyName"]?.string
        relationship.inverseEntityName = item[OwnKey.inverseEntity]?.string
        if item.archive.fields(item.index)?[OwnKey.inverseEntity] == nil, relationship.inverseName != nil {
            relationship.inverseEntityName = relationship.destinationEntityName
        }
        relationship.renamingIdentifier = renaming(item, name)
        relationship.versionHashModifier = item["NSVersionHashModifier"]?.string
        relationship.userInfo = try texts(item["NSUserInfo"])
        return relationship
    }

    mutating func fetchedProperty(_ item: ArchivedItem, of owner: String) throws -> FetchedPropertyDocument {
        let name = try propertyName(item, of: owner)
        var property = FetchedPropertyDocument(name: name)
        property.isOptional = item["NSIsOptional"]?.bool ?? false
        do {
            property.fetchRequest = try item["NSFetchRequest"].map {
                try fetchRequest($0, name: "fetchedPropertyFetchRequest")
            }
        } catch let error as ModelDocumentError {
            throw error.within("fetchedProperty '\(name)' of '\(owner)'")
        }
        if property.fetchRequest?.entityName == nil, let entity = item["_NSFetchRequestEntityName"]?.string {
            property.fetchRequest?.entityName = entity
        }
        property.renamingIdentifier = renaming(item, name)
        property.versionHashModifier = item["NSVersionHashModifier"]?.string
        property.userInfo = try texts(item["NSUserInfo"])
        return property
    }

    mutating func fetchRequest(_ item: ArchivedItem, name: String) throws -> FetchRequestDocument {
        var request = FetchRequestDocument(name: item[OwnKey.requestName]?.string ?? name)
        request.entityName = item["NSEntity"]?["NSEntityName"]?.string ?? item["NSEntityName"]?.string
        do {
            request.predicateFormat = try format(item["NSPredicate"], item[OwnKey.predicate])
        } catch let error as ModelDocumentError {
            throw error.within("fetchRequest '\(request.name)'")
        }
        request.fetchLimit = max(0, Int(item["NSFetchLimit"]?.int ?? 0))
        request.fetchOffset = max(0, Int(item["NSFetchOffset"]?.int ?? 0))
        request.fetchBatchSize = max(0, Int(item["NSBatchSize"]?.int ?? 0))
        request.resultType = max(0, Int(item["NSResultType"]?.int ?? 0))
        for sort in item["NSSortDescriptors"]?.elements ?? [] {
            guard let key = sort["NSKey"]?.string else { continue }
            let selector = sort["NSSelector"]?.string
            request.sortKeys.append(
                FetchSortDocument(
                    keyPath: key, isAscending: sort["NSAscending"]?.bool ?? true,
                    selectorName: selector == "compare:" ? nil : selector))
        }
        readSwitches(item, &request)
        return request
    }

    private mutating func readSwitches(_ item: ArchivedItem, _ request: inout FetchRequestDocument) {
        guard let names = item[OwnKey.fetchSwitches]?.texts else {
            // Only 30 was seen, the defaults; what the bits of other numbers mean is not documented.
            if let flags = item["NSFetchRequestFlags"]?.int, flags != 30 {
                warn("fetchRequest '\(request.name)': the flags \(flags) are not known; defaults are used")
            }
            return
        }
        let switches = Set(names)
        request.includesSubentities = switches.contains("includesSubentities")
        request.includesPropertyValues = switches.contains("includesPropertyValues")
        request.includesPendingChanges = switches.contains("includesPendingChanges")
        request.returnsObjectsAsFaults = switches.contains("returnsObjectsAsFaults")
        request.returnsDistinctResults = switches.contains("returnsDistinctResults")
    }

    /// A predicate as text: the text beside it, or else the printed form.
    private mutating func format(_ predicate: ArchivedItem?, _ text: ArchivedItem?) throws -> String? {
        if let text = text?.string { return text }
        return try predicate.map { try predicates.predicate($0).description }
    }

    mutating func fetchIndex(_ item: ArchivedItem, of owner: String) throws -> FetchIndexDocument {
        guard let name = item["NSIndexName"]?.string else {
            throw ModelDocumentError(.missing, element: "an index of '\(owner)'", attribute: "NSIndexName")
        }
        let title = "index '\(name)' of '\(owner)'"
        do {
            return FetchIndexDocument(
                name: name,
                elements: try (item["NSIndexElements"]?.elements ?? []).map { try indexElement($0) },
                partialIndexPredicate: try format(item["NSPartialIndexPredicate"], item[OwnKey.predicate]))
        } catch let error as ModelDocumentError {
            throw error.within(title)
        }
    }

    private mutating func indexElement(_ item: ArchivedItem) throws -> FetchIndexElementDocument {
        let number = item["NSFetchIndexElementType"]?.int ?? 0
        guard let kind = Int(exactly: number).flatMap({ FetchIndexElementDocument.Kind(rawValue: $0) }) else {
            throw ModelDocumentError(
                .value("\(number)", expected: "the number of an index type"),
                attribute: "NSFetchIndexElementType")
        }
        return FetchIndexElementDocument(
            subject: try subject(item), kind: kind, isAscending: item["NSAscending"]?.bool ?? true)
    }

    private mutating func subject(_ item: ArchivedItem) throws -> FetchIndexElementDocument.Subject {
        if let text = item[OwnKey.expression]?.string {
            let type = item[OwnKey.expressionType]?.int.flatMap { AttributeType(rawValue: Int($0)) }
            return .expression(text, resultType: type ?? .undefined)
        }
        for field in item.keys.compactMap({ item[$0] }) where field.className == "NSExpressionDescription" {
            guard let expression = field["NSExpression"] else { continue }
            let type = field["NSExpressionResultType"]?.int.flatMap { AttributeType(rawValue: Int($0)) }
            return .expression(
                try predicates.expression(expression).description, resultType: type ?? .undefined)
        }
        guard let name = item["NSPropertyName"]?.string ?? item["NSProperty"]?["NSPropertyName"]?.string
        else {
            throw ModelDocumentError(.missing, attribute: "NSPropertyName")
        }
        return .property(name)
    }
}
