internal import DataModel
internal import Foundation
internal import StratusCoreData

/// The model by which a store is read.
struct StoreModel {
    /// Where the model came from.
    enum Origin: String {
        /// The store carries it.
        case cache
        /// A file that was given.
        case file
        /// Made up from the tables: see `notes` for what those do not show.
        case tables
    }

    let model: NSManagedObjectModel
    let origin: Origin
    /// What was odd, or is missing.
    let notes: [String]

    init(of store: PlainStore, file: URL? = nil) throws {
        var document: ModelDocument
        var notes: [String] = []
        if let file {
            do {
                let reading = try ModelDocument.read(contentsOf: file)
                (document, origin) = (reading.document, .file)
                notes += reading.warnings
                Self.takeForms(of: store, &document)
            } catch {
                throw InspectionError(.model("\(error)"), path: file.path, cause: error)
            }
        } else if let data = store.modelCache {
            do {
                (document, origin) = (try ModelDocument(modelCache: data), .cache)
            } catch {
                (document, origin) = (DerivedModel.document(of: store), .tables)
                notes.append("The model in the store cannot be read: \(error)")
                notes += DerivedModel.notes
            }
        } else {
            (document, origin) = (DerivedModel.document(of: store), .tables)
            notes.append(
                store.hasModelCacheTable
                    ? "The store's Z_MODELCACHE is empty." : "The store is older than Z_MODELCACHE (2015).")
            notes += DerivedModel.notes
        }
        notes += Self.resolveNames(store, document)
        notes += Self.restrict(&document, to: Set(store.entities.map(\.name)))
        let built = NSManagedObjectModel.building(document)
        model = built.model
        self.notes = notes + built.warnings
    }

    /// Whether binary columns have marks is what the store's own model says, whatever the app's says by now.
    private static func takeForms(of store: PlainStore, _ document: inout ModelDocument) {
        // Without a model of its own the app's is all there is.
        guard let own = store.modelCache.flatMap({ try? ModelDocument(modelCache: $0) }) else { return }
        for entity in document.entities.indices {
            let known = own.entity(named: document.entities[entity].name)?.attributes ?? []
            for attribute in document.entities[entity].attributes.indices {
                let name = document.entities[entity].attributes[attribute].name
                guard let same = known.first(where: { $0.name == name }) else { continue }
                document.entities[entity].attributes[attribute].allowsExternalStorage =
                    same.allowsExternalStorage
            }
        }
    }

    /// Finds the entities whose rows of `Z_PRIMARYKEY` still have a name from before a migration.
    private static func resolveNames(_ store: PlainStore, _ document: ModelDocument) -> [String] {
        let known = Set(store.entities.map(\.name))
        let wanted = Set((store.metadata?[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]).keys)
        var waiting = document.entities.filter { !known.contains($0.name) && wanted.contains($0.name) }
        var notes: [String] = []
        for entity in store.entities where document.entity(named: entity.name) == nil {
            let parent = store.entities.first { $0.number == entity.parent }?.name
            let index =
                waiting.firstIndex { $0.renamingIdentifier == entity.name }
                ?? waiting.firstIndex { $0.parentName == parent && waiting.count == 1 }
            guard let index else { continue }
            let name = waiting.remove(at: index).name
            store.rename(entity.number, to: name)
            notes.append(
                "Z_PRIMARYKEY calls '\(name)' by its old name '\(entity.name)', as migrations leave it.")
        }
        return notes
    }

    /// Takes out the entities that the store does not hold: those of other configurations.
    private static func restrict(_ document: inout ModelDocument, to names: Set<String>) -> [String] {
        let others = document.entities.map(\.name).filter { !names.contains($0) }
        guard !others.isEmpty else { return [] }
        document.entities.removeAll { !names.contains($0.name) }
        for index in document.entities.indices {
            document.entities[index].relationships.removeAll { relationship in
                relationship.destinationEntityName.map { !names.contains($0) } ?? false
            }
        }
        for index in document.configurations.indices {
            document.configurations[index].entityNames.removeAll { !names.contains($0) }
        }
        return ["The model has entities that the store does not hold: \(others.joined(separator: ", "))."]
    }
}

/// A model made up from the tables of a store that carries none.
enum DerivedModel {
    static let notes = [
        "Without a model, names are those of the columns in lower case, all attributes belong to the entity at the root "
            + "of a table, and keys of relationships are plain numbers. Give the app's model with --model to see more."
    ]

    static func document(of store: PlainStore) -> ModelDocument {
        var entities: [EntityDocument] = []
        for entity in store.entities {
            let parent = store.entities.first { $0.number == entity.parent }
            var document = EntityDocument(name: entity.name, parentName: parent?.name)
            if parent == nil, let table = store.table(of: entity) {
                document.attributes = (store.tables[table] ?? []).compactMap(attribute)
            }
            entities.append(document)
        }
        return ModelDocument(entities: entities)
    }

    private static func attribute(_ column: PlainStore.Column) -> AttributeDocument? {
        let upper = column.name.uppercased()
        // Z_PK, Z_ENT, Z_FOK_…, Z_<number>… are the system's; Z<number>… are keys of relationships without inverse.
        guard upper.hasPrefix("Z"), !upper.hasPrefix("Z_"), let first = upper.dropFirst().first,
            !first.isNumber
        else { return nil }
        let type: DataModel.AttributeType =
            switch column.type {
            case "INTEGER": .integer64
            case "TIMESTAMP": .date
            case "FLOAT": .double
            case "DECIMAL": .decimal
            case "VARCHAR": .string
            default: .binaryData
            }
        return AttributeDocument(name: column.name.dropFirst().lowercased(), type: type, isOptional: true)
    }
}
