internal import Foundation

/// Writes a model as the archive of an `NSManagedObjectModel`.
struct ArchivedModelWriter {
    typealias Value = ArchiveBuilder.Value

    var builder = ArchiveBuilder()
    private let model: ModelDocument
    private var entityUIDs: [String: Int] = [:]
    private var propertyUIDs: [String: [String: Int]] = [:]
    private var byName: [String: EntityDocument] = [:]
    private var children: [String: [String]] = [:]

    init(_ model: ModelDocument) {
        self.model = model
        for entity in model.entities {
            byName[entity.name] = entity
            if let parent = entity.parentName { children[parent, default: []].append(entity.name) }
        }
    }

    mutating func write() throws -> Data {
        let root = builder.reserve()
        for entity in model.entities {
            guard entityUIDs[entity.name] == nil else {
                throw ModelDocumentError(.duplicate(entity.name), element: "entity '\(entity.name)'")
            }
            entityUIDs[entity.name] = builder.reserve()
            for name in entity.propertyNames {
                guard propertyUIDs[entity.name]?[name] == nil else {
                    throw ModelDocumentError(.duplicate(name), element: "entity '\(entity.name)'")
                }
                propertyUIDs[entity.name, default: [:]][name] = builder.reserve()
            }
        }
        for entity in model.entities { try write(entity, root: root) }
        try writeRoot(root)
        return builder.encoded(root: .uid(root))
    }

    /// The entity as a reference; nothing for a name that leads nowhere.
    func entity(_ name: String?) -> Value {
        name.flatMap { entityUIDs[$0] }.map { .uid($0) } ?? ArchiveBuilder.null
    }

    /// A property of an entity or of its parents as a reference.
    func property(_ name: String, of entity: String?) -> Value {
        var seen: Set<String> = []
        var next = entity
        while let owner = next, seen.insert(owner).inserted {
            if let uid = propertyUIDs[owner]?[name] { return .uid(uid) }
            next = byName[owner]?.parentName
        }
        return ArchiveBuilder.null
    }

    private mutating func writeRoot(_ uid: Int) throws {
        let chain = ["NSManagedObjectModel", "NSObject"]
        var requests: [(String, Value)] = []
        for request in model.fetchRequests { requests.append((request.name, write(request))) }
        var composites: [(String, Value)] = []
        for composite in model.composites {
            var elements: [Value] = []
            for attribute in composite.attributes {
                let place = builder.reserve()
                try write(attribute, at: place, entity: ArchiveBuilder.null, owner: composite.name)
                elements.append(.uid(place))
            }
            composites.append((composite.name, builder.array(elements)))
        }
        let configurations = model.configurations.map { configuration in
            let members = configuration.entityNames.compactMap { entityUIDs[$0] }.map { Value.uid($0) }
            return (configuration.name, builder.set(members))
        }
        let mirrored = model.configurations.filter(\.isUsedWithCloudKit).map(\.name)
        let fields: [String: Value?] = [
            "NSEntities": knownKeys(),
            "NSFetchRequestTemplates": requests.isEmpty ? ArchiveBuilder.null : builder.dictionary(requests),
            "NSVersionIdentifiers": builder.set(model.versionIdentifiers.map { builder.string($0) }),
            "NSConfigurations": configurations.isEmpty ? nil : builder.dictionary(configurations),
            OwnKey.entityNames: builder.strings(model.entities.map(\.name)),
            OwnKey.composites: composites.isEmpty ? nil : builder.dictionary(composites),
            OwnKey.mirroredConfigurations: mirrored.isEmpty ? nil : builder.strings(mirrored),
            OwnKey.sourceLanguage: optional(model.sourceLanguage),
            OwnKey.toolsVersion: optional(model.toolsVersion),
            OwnKey.minimumToolsVersion: optional(model.minimumToolsVersion),
            OwnKey.usedWithCloudKit: model.isUsedWithCloudKit ? .bool(true) : nil,
            OwnKey.usedWithSwiftData: model.isUsedWithSwiftData ? .bool(true) : nil,
        ]
        builder.fill(uid, chain, fields)
    }

    /// The entities by name in the dictionary class that Apple's archives have.
    private mutating func knownKeys() -> Value {
        let names = model.entities.map(\.name).sorted()
        let array = ["NSArray", "NSObject"]
        let keys = builder.object(array, ["NS.objects": .array(names.map { builder.string($0) })])
        let mapping = builder.object(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            ["keys": keys, "length": .int(Int64(names.count)), "version": .int(1)])
        let values = builder.object(array, ["NS.objects": .array(names.map { entity($0) })])
        return builder.object(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
                "NSObject",
            ],
            [
                "values": values, "searchMapping": mapping, "version": .int(1),
                "emptyToken": builder.string("__empty_slot_token_4c24_98dc_ac1e_b773__"),
            ])
    }

    private mutating func write(_ entity: EntityDocument, root: Int) throws {
        guard let uid = entityUIDs[entity.name] else { return }
        if let parent = entity.parentName, entityUIDs[parent] == nil {
            throw ModelDocumentError(
                .unknownName(parent, what: "entity"), element: "entity '\(entity.name)'",
                attribute: "parentName")
        }
        let place = Value.uid(uid)
        for attribute in entity.attributes {
            guard let uid = propertyUIDs[entity.name]?[attribute.name] else { continue }
            try write(attribute, at: uid, entity: place, owner: entity.name)
        }
        for relationship in entity.relationships {
            guard let uid = propertyUIDs[entity.name]?[relationship.name] else { continue }
            write(relationship, at: uid, entity: place)
        }
        for property in entity.fetchedProperties {
            guard let uid = propertyUIDs[entity.name]?[property.name] else { continue }
            write(property, at: uid, entity: place)
        }
        let subentities = children[entity.name] ?? []
        let listed = entity.compoundIndexes + entity.indexes.map { $0.elements.compactMap(\.propertyName) }
        let fields: [String: Value?] = [
            "NSEntityName": builder.string(entity.name),
            "NSClassNameForEntity": builder.string(entity.className ?? "NSManagedObject"),
            "NSProperties": try properties(of: entity),
            "NSSubentities": builder.dictionary(subentities.map { ($0, self.entity($0)) }),
            "NSSuperentity": self.entity(entity.parentName),
            "NSUserInfo": userInfo(entity.userInfo),
            "NSVersionHashModifier": builder.string(entity.versionHashModifier),
            "NSRenamingIdentifier": builder.string(entity.renamingIdentifier ?? entity.name),
            "NSManagedObjectModel": .uid(root),
            "NSCompoundIndexes": lists(listed.filter { !$0.isEmpty }),
            "NSFetchIndexDescriptions": indexes(of: entity, place),
            "NSIsAbstract": entity.isAbstract ? .bool(true) : nil,
            "NSUniqueTuples": lists(entity.uniquenessConstraints),
            OwnKey.propertyNames: builder.strings(entity.propertyNames),
            OwnKey.compoundIndexes: lists(entity.compoundIndexes),
            OwnKey.codeGeneration: entity.codeGeneration == .unspecified
                ? nil : builder.string(entity.codeGeneration.rawValue),
            OwnKey.spotlightExpression: optional(entity.spotlightDisplayNameExpression),
        ]
        builder.fill(uid, ["NSEntityDescription", "NSObject"], fields)
    }

    /// The own properties, and those of the parents as stand-ins.
    private mutating func properties(of entity: EntityDocument) throws -> Value {
        var entries: [(String, Value)] = []
        for name in entity.propertyNames {
            if let uid = propertyUIDs[entity.name]?[name] { entries.append((name, .uid(uid))) }
        }
        var names = Set(entity.propertyNames)
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let parent = next.flatMap({ byName[$0] }) {
            guard seen.insert(parent.name).inserted else {
                throw ModelDocumentError(
                    .cycle([entity.name, parent.name]), element: "entity '\(entity.name)'")
            }
            for name in parent.propertyNames where names.insert(name).inserted {
                guard let uid = propertyUIDs[parent.name]?[name] else { continue }
                let standIn = builder.object(
                    ["_NSPropertyDescriptionProxy", "NSObject"],
                    ["NSUnderlyingProperty": .uid(uid), "NSEntity": self.entity(entity.name)])
                entries.append((name, standIn))
            }
            next = parent.parentName
        }
        return builder.dictionary(entries)
    }

    mutating func lists(_ lists: [[String]]) -> Value {
        let values = lists.map { builder.strings($0) }
        return builder.array(values)
    }

    mutating func userInfo(_ entries: [String: String]) -> Value {
        let values = entries.sorted { $0.key < $1.key }.map { ($0.key, builder.string($0.value)) }
        return builder.dictionary(values)
    }

    /// Text that is left out where there is none.
    mutating func optional(_ text: String?) -> Value? { text.map { builder.string($0) } }
}

extension EntityDocument {
    /// The names of the entity's own properties: attributes, relationships, fetched properties.
    var propertyNames: [String] {
        attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
    }
}
