public import Foundation
internal import StratusCoreData

/// Looks into a store without changing it or anything beside it.
public enum StoreInspector {
    /// Opens a store for inspection.
    ///
    /// - Parameter model: the app's model; without it the one in the store is used, or one made up from the tables.
    /// - Throws: ``InspectionError``, or what opening the store through Core Data throws.
    public static func report(_ url: URL, model: URL? = nil) throws -> StoreReport {
        let session = try StoreSession(url, model: model)
        defer { session.close() }
        let plain = session.plain
        let metadata = plain.metadata ?? [:]
        var notes = session.model.notes
        if plain.metadata == nil {
            notes.append("The store has no metadata list, so it does not say who wrote it.")
        }
        let mirroring = plain.tables.keys.filter { $0.hasPrefix("ANSCK") }
        return StoreReport(
            path: url.path, bytes: size(url.path) + size(url.path + "-wal"),
            copiedBecause: session.copy.reason,
            identifier: plain.identifier,
            frameworkVersion: (metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue,
            hashesVersion: (metadata["NSStoreModelVersionHashesVersion"] as? NSNumber)?.intValue,
            versionIdentifiers: metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? [],
            otherMetadata: other(metadata), modelOrigin: session.model.origin.rawValue, notes: notes,
            entities: try plain.entities.map { try entity($0, session) },
            historyTransactions: plain.tables["ATRANSACTION"] == nil ? nil : try plain.count("ATRANSACTION"),
            historyChanges: plain.tables["ACHANGE"] == nil ? nil : try plain.count("ACHANGE"),
            mirroringTables: try Dictionary(
                uniqueKeysWithValues: mirroring.map { ($0, try plain.count($0)) }))
    }

    private static func entity(
        _ plainEntity: PlainStore.Entity, _ session: StoreSession
    ) throws -> StoreReport.Entity {
        let plain = session.plain
        let description = session.model.model.entitiesByName[plainEntity.name]
        let table = plain.table(of: plainEntity)
        let family = plain.family(of: plainEntity).map(String.init).joined(separator: ", ")
        let attributes = description?.attributesByName.values.sorted { $0.name < $1.name } ?? []
        let relationships = description?.relationshipsByName.values.sorted { $0.name < $1.name } ?? []
        return StoreReport.Entity(
            name: plainEntity.name, parent: plain.entities.first { $0.number == plainEntity.parent }?.name,
            isAbstract: description?.isAbstract ?? false, table: table,
            rows: try table.map { try plain.count($0, "Z_ENT = \(plainEntity.number)") } ?? 0,
            rowsWithSubentities: try table.map { try plain.count($0, "Z_ENT IN (\(family))") } ?? 0,
            attributes: attributes.map { "\($0.name): \($0.attributeType.displayName)" },
            relationships: relationships.map { relationship in
                let destination = relationship.destinationEntity?.name ?? "?"
                return "\(relationship.name): \(relationship.isToMany ? "[\(destination)]" : destination)"
            })
    }

    private static func other(_ metadata: [String: Any]) -> [String: String] {
        let known = ["NSPersistenceFrameworkVersion", NSStoreTypeKey, NSStoreUUIDKey]
        return metadata.filter { key, _ in
            !known.contains(key) && !key.hasPrefix("NSStoreModelVersion") && !key.hasPrefix("_NSAutoVacuum")
        }
        .mapValues { "\($0)" }
    }

    private static func size(_ path: String) -> Int64 {
        // No log is one of no bytes; the store itself was opened.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
