import DataModel
import Foundation
import Predicates

/// The form that a document has once it went through descriptions: texts printed again, orders without meaning sorted,
/// an inverse's entity named. Everything else has to come back as it was.
extension ModelDocument {
    var normalForm: ModelDocument {
        var model = self
        model.entities = entities.map(\.normalForm)
        model.composites = composites.map {
            CompositeDocument(name: $0.name, attributes: $0.attributes.map(\.normalForm))
        }
        model.fetchRequests = fetchRequests.map(\.normalForm).sorted { $0.name < $1.name }
        model.configurations.sort { $0.name < $1.name }
        model.versionIdentifiers.sort()
        return model
    }
}

extension EntityDocument {
    fileprivate var normalForm: EntityDocument {
        var entity = self
        entity.attributes = attributes.map(\.normalForm)
        for index in relationships.indices where relationships[index].inverseName != nil {
            entity.relationships[index].inverseEntityName = relationships[index].destinationEntityName
        }
        for index in fetchedProperties.indices {
            entity.fetchedProperties[index].fetchRequest = fetchedProperties[index].fetchRequest?.normalForm
        }
        let indexes = indexes.map(\.normalForm)
        // Indexes that cannot be read come last.
        let isRead = { (index: FetchIndexDocument) in
            index.partialIndexPredicate.map { (try? PredicateTree(parsing: $0)) != nil } ?? true
        }
        entity.indexes = indexes.filter(isRead) + indexes.filter { !isRead($0) }
        entity.spotlightDisplayNameExpression = spotlightDisplayNameExpression.map(expressionText)
        return entity
    }
}

extension AttributeDocument {
    fileprivate var normalForm: AttributeDocument {
        var attribute = self
        attribute.derivationExpression = derivationExpression.map(expressionText)
        let warnings = validationWarnings + Array(repeating: "", count: validationPredicates.count)
        let pairs = Array(zip(validationPredicates, warnings))
        let isRead = { (pair: (String, String)) in (try? PredicateTree(parsing: pair.0)) != nil }
        let sorted = pairs.filter(isRead) + pairs.filter { !isRead($0) }
        attribute.validationPredicates = sorted.map { predicateText($0.0) }
        attribute.validationWarnings = validationWarnings.contains { !$0.isEmpty } ? sorted.map(\.1) : []
        return attribute
    }
}

extension FetchIndexDocument {
    fileprivate var normalForm: FetchIndexDocument {
        guard partialIndexPredicate.map({ (try? PredicateTree(parsing: $0)) != nil }) ?? true else {
            return self
        }
        var index = self
        index.partialIndexPredicate = partialIndexPredicate.map(predicateText)
        index.elements = elements.map { element in
            guard case .expression(let text, let type) = element.subject else { return element }
            var element = element
            element.subject = .expression(expressionText(text), resultType: type)
            return element
        }
        return index
    }
}

extension FetchRequestDocument {
    fileprivate var normalForm: FetchRequestDocument {
        var request = self
        request.predicateFormat = predicateFormat.map(predicateText)
        return request
    }
}

private func predicateText(_ text: String) -> String {
    (try? PredicateTree(parsing: text))?.description ?? text
}

private func expressionText(_ text: String) -> String {
    (try? ExpressionTree(parsing: text))?.description ?? text
}
