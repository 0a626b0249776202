public import DataModel
internal import Foundation
import TestSeeds

/// Makes random models whose names fit together.
public struct RandomModel {
    private var random: Random
    /// Whether there is only what XML has words for.
    private let isXML: Bool
    private var entityNames: [String] = []
    private var compositeNames: [String] = []

    /// Begins at a seed; with `isXML`, models have only what XML has words for.
    public init(seed: UInt64, isXML: Bool) {
        random = Random(seed: seed)
        self.isXML = isXML
    }

    /// The next model.
    public mutating func model() throws -> ModelDocument {
        entityNames = names("E", 0...6)
        compositeNames = names("C", 0...2)
        var model = ModelDocument()
        for name in compositeNames {
            let elements = try names("p", 0...3).map { try attribute($0, mayBeComposite: false) }
            model.composites.append(CompositeDocument(name: name, attributes: elements))
        }
        for (index, name) in entityNames.enumerated() {
            let parent = index > 0 && oneIn(3) ? entityNames[int(0...(index - 1))] : nil
            model.entities.append(try entity(name, parent: parent))
        }
        giveInverses(&model)
        for name in names("F", 0...3) { model.fetchRequests.append(request(name)) }
        for name in names("K", 0...2) {
            model.configurations.append(
                ConfigurationDocument(
                    name: name, entityNames: entityNames.filter { _ in oneIn(2) },
                    isUsedWithCloudKit: oneIn(2)))
        }
        if oneIn(2) { model.versionIdentifiers = isXML ? [text()] : names("v", 1...3) }
        model.sourceLanguage = maybe { $0.text() }
        model.toolsVersion = maybe { $0.text() }
        model.minimumToolsVersion = maybe { $0.text() }
        model.isUsedWithCloudKit = oneIn(3)
        model.isUsedWithSwiftData = oneIn(3)
        return model
    }

    private mutating func entity(_ name: String, parent: String?) throws -> EntityDocument {
        var entity = EntityDocument(name: name, parentName: parent)
        // Own prefixes, so that no property is also one of a parent.
        let own = names("\(name)p", 0...8)
        for name in own {
            switch int(0...4) {
            case 0: entity.relationships.append(relationship(name))
            case 1:
                let request = maybe { $0.request("fetchedPropertyFetchRequest") }
                entity.fetchedProperties.append(
                    FetchedPropertyDocument(
                        name: name, isOptional: oneIn(2), fetchRequest: request,
                        renamingIdentifier: maybe { $0.text() },
                        versionHashModifier: maybe { $0.text() }, userInfo: userInfo()))
            default: entity.attributes.append(try attribute(name, mayBeComposite: true))
            }
        }
        entity.className = maybe { $0.pick([".Note", "Note", "App.Note", "."]) }
        entity.isAbstract = oneIn(3)
        entity.codeGeneration = pick(CodeGeneration.allCases)
        entity.renamingIdentifier = maybe { $0.text() }
        entity.versionHashModifier = maybe { $0.text() }
        entity.spotlightDisplayNameExpression = maybe { $0.text() }
        entity.userInfo = userInfo()
        guard !own.isEmpty else { return entity }
        entity.indexes = names("I", 0...2).map { index($0, own) }
        for _ in 0..<int(0...2) { entity.compoundIndexes.append(some(own)) }
        for _ in 0..<int(0...2) { entity.uniquenessConstraints.append(some(own)) }
        return entity
    }

    private mutating func attribute(_ name: String, mayBeComposite: Bool) throws -> AttributeDocument {
        var attribute = AttributeDocument(name: name, type: pick(AttributeType.allCases))
        attribute.isOptional = oneIn(2)
        attribute.isTransient = oneIn(4)
        attribute.isIndexed = oneIn(4)
        attribute.isSpotlightIndexed = oneIn(4)
        attribute.allowsExternalStorage = oneIn(4)
        attribute.allowsCloudEncryption = oneIn(4)
        attribute.preservesValueOnDeletion = oneIn(4)
        attribute.usesScalarType = maybe { $0.oneIn(2) }
        attribute.customClassName = maybe {
            $0.pick([".", "[Int64]", "NSArray", "Dictionary<String, [Int]>"])
        }
        attribute.valueTransformerName = maybe { $0.pick(["", "ColorTransformer"]) }
        attribute.regularExpression = maybe { $0.pick(["[a-z]+", "\\d{3} \"x\" <&>", "é.*"]) }
        attribute.renamingIdentifier = maybe { $0.text() }
        attribute.versionHashModifier = maybe { $0.text() }
        attribute.userInfo = userInfo()
        attribute.derivationExpression = maybe { random in
            random.pick([
                "uppercase:(title)", "legalEntity.name", "friends.@count", "now()", "not ( parsable",
            ])
        }
        if mayBeComposite, !compositeNames.isEmpty {
            attribute.compositeName = maybe { $0.pick($0.compositeNames) }
        }
        attribute.defaultValue = try maybe { try $0.value(attribute.type) } ?? nil
        if [.date, .integer16, .integer32, .integer64, .decimal, .double, .float].contains(attribute.type) {
            attribute.minimumValue = try maybe { try $0.value(attribute.type) } ?? nil
            attribute.maximumValue = try maybe { try $0.value(attribute.type) } ?? nil
        }
        if attribute.type == .string {
            attribute.minimumLength = maybe { $0.int(0...9) }
            attribute.maximumLength = maybe { $0.int(0...900) }
        }
        if !isXML {
            attribute.derivationFilter = maybe { $0.predicate() }
            attribute.validationPredicates = oneIn(3) ? [predicate(), "not ( parsable", predicate()] : []
            if !attribute.validationPredicates.isEmpty, oneIn(2) {
                attribute.validationWarnings = ["", text(), "1670"]
            }
        }
        return attribute
    }

    private mutating func value(_ type: AttributeType) throws -> ModelValue? {
        switch type {
        case .integer16, .integer32, .integer64:
            return .integer(Int64(bitPattern: random.next()) >> Int64(int(0...63)))
        case .decimal: return .decimal(Decimal(int(-999_999...999_999)) / Decimal(pick([1, 10, 1000])))
        case .double, .float: return .double(Double(int(-99999...99999)) / pick([1, 7, 1e-9]))
        case .string: return .string(text())
        case .undefined: return isXML ? .string(text()) : .integer(Int64(int(-5...5)))
        case .boolean: return .boolean(oneIn(2))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(int(-99999...99999)) / 8))
        case .uuid:
            return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(int(0...255)))))
        case .uri: return .uri("https://example.org/\(int(0...99))?a=b&c=<d>")
        case .binaryData: return isXML ? nil : .data(Data([1, 2, UInt8(int(0...255))]))
        case .transformable, .objectID, .composite: return isXML ? nil : .archived(try archived())
        }
    }

    /// Some object as an archive of its own.
    private mutating func archived() throws -> Data {
        let list = ModelDocument(versionIdentifiers: names("x", 1...4))
        return try list.archive()
    }

    private mutating func relationship(_ name: String) -> RelationshipDocument {
        RelationshipDocument(
            name: name, isOptional: oneIn(2), isTransient: oneIn(5), isOrdered: oneIn(3),
            minCount: int(0...2),
            maxCount: pick([0, 1, 1, 10, 10000]), deleteRule: pick(RelationshipDeleteRule.allCases),
            destinationEntityName: maybe { $0.pick($0.entityNames) }, renamingIdentifier: maybe { $0.text() },
            versionHashModifier: maybe { $0.text() }, isIndexed: oneIn(4), isSpotlightIndexed: oneIn(4),
            userInfo: userInfo())
    }

    /// Names a relationship of the other side as the inverse, where there is one.
    private mutating func giveInverses(_ model: inout ModelDocument) {
        for entity in model.entities.indices {
            for index in model.entities[entity].relationships.indices {
                let destination = model.entities[entity].relationships[index].destinationEntityName
                let other = destination.flatMap { model.entity(named: $0) }?.relationships.first
                guard let other, oneIn(2) else { continue }
                model.entities[entity].relationships[index].inverseName = other.name
                model.entities[entity].relationships[index].inverseEntityName = oneIn(3) ? nil : destination
            }
        }
    }

    private mutating func request(_ name: String) -> FetchRequestDocument {
        var request = FetchRequestDocument(
            name: name, entityName: maybe { $0.pick($0.entityNames + ["Gone"]) },
            predicateFormat: maybe { $0.predicate() }, fetchLimit: int(0...3), fetchBatchSize: int(0...3),
            resultType: int(0...4), includesSubentities: oneIn(2), includesPropertyValues: oneIn(2),
            includesPendingChanges: oneIn(2), returnsObjectsAsFaults: oneIn(2),
            returnsDistinctResults: oneIn(2))
        if !isXML {
            request.fetchOffset = int(0...3)
            request.sortKeys = names("s", 0...2).map {
                FetchSortDocument(
                    keyPath: $0, isAscending: oneIn(2), selectorName: maybe { _ in "caseInsensitiveCompare:" }
                )
            }
        }
        return request
    }

    private mutating func index(_ name: String, _ properties: [String]) -> FetchIndexDocument {
        let elements = (0..<int(0...3)).map { _ in
            let subject: FetchIndexElementDocument.Subject =
                oneIn(4)
                ? .expression("length:(title)", resultType: pick(AttributeType.allCases))
                : .property(pick(properties))
            return FetchIndexElementDocument(
                subject: subject, kind: pick(FetchIndexElementDocument.Kind.allCases), isAscending: oneIn(2))
        }
        return FetchIndexDocument(
            name: name, elements: elements, partialIndexPredicate: maybe { $0.predicate() })
    }

    /// A predicate as text, sometimes one that cannot be parsed.
    public mutating func predicate() -> String {
        pick([
            "name == \"x\"", "a.b.c BETWEEN {1, 2.5}", "ANY tags.name BEGINSWITH[cd] $TEXT",
            "NOT (a IN {1, 2})",
            "TRUEPREDICATE", "SUBQUERY(items, $i, $i.done == YES).@count > 0", "x MATCHES 'a' OR y LIKE 'b*'",
            "date > CAST(0, \"NSDate\")", "n == nil", "$FETCH_SOURCE.id == id", "name ==",
            "count:(items) + 1 != 3",
        ])
    }

    private mutating func userInfo() -> [String: String] {
        Dictionary(names("u", 0...2).map { ($0, text()) }, uniquingKeysWith: { first, _ in first })
    }

    /// A number of a range.
    public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// True in one of so many cases.
    public mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    /// One of the elements.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[int(0...(elements.count - 1))]
    }

    private mutating func some(_ names: [String]) -> [String] { (0..<int(1...3)).map { _ in pick(names) } }

    private mutating func maybe<Value>(_ make: (inout RandomModel) throws -> Value) rethrows -> Value? {
        oneIn(3) ? try make(&self) : nil
    }

    private mutating func names(_ prefix: String, _ count: ClosedRange<Int>) -> [String] {
        (0..<int(count)).map { "\(prefix)\($0)" }
    }

    /// A text with awkward characters.
    public mutating func text() -> String {
        let letters = [
            "a", "Z", " ", "\"", "'", "<", ">", "&", "é", "🇺🇳", "\n", "\r", "\t", "\u{1}", "]]>", "--", "日",
        ]
        return (0..<int(1...6)).map { _ in pick(letters) }.joined()
    }
}
