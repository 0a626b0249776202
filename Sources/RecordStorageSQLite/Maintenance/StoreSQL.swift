/// The statements that find what does not fit together; inspection counts with them, repair acts on them.
enum StoreSQL {
    /// The rows of zones that are gone are being removed, and say nothing until then.
    static func ofLiveZone(_ zone: String) -> String {
        "\(zone) NOT IN (SELECT id FROM zone WHERE deleted <> 0)"
    }

    /// The names of the indexes that the service made by itself; those of types that are being removed go with them.
    static func automaticIndexes(besidesTypes removed: Set<Int64>) -> String {
        let tables = removed.sorted().map { "'r\($0)'" }.joined(separator: ",")
        return """
            SELECT name FROM sqlite_master
            WHERE type = 'index' AND name LIKE 'auto\\_%' ESCAPE '\\' AND tbl_name NOT IN (\(tables))
            """
    }

    /// Whether an index that is said to hold all rows of a type lacks some.
    static func hasUnmarkedRows(type: Int64, slot: Int64) -> String {
        "SELECT EXISTS (SELECT 1 FROM r\(type) WHERE i\(slot) IS NOT 1)"
    }

    /// Live directory entries of a type whose record is missing.
    static func danglingEntries(of type: Int64, _ columns: String) -> String {
        """
        SELECT \(columns) FROM directory WHERE type = \(type) AND deleted = 0 AND \(ofLiveZone("zone"))
        AND NOT EXISTS (SELECT 1 FROM r\(type) WHERE r\(type).id = directory.id AND r\(type).name = directory.name)
        """
    }

    /// Records of a type that no live directory entry names.
    static func unlistedRecords(of type: Int64, _ columns: String) -> String {
        """
        SELECT \(columns) FROM r\(type) WHERE \(ofLiveZone("zone")) AND NOT EXISTS (
            SELECT 1 FROM directory WHERE directory.zone = r\(type).zone AND directory.name = r\(type).name
            AND directory.id = r\(type).id AND directory.type = \(type) AND directory.deleted = 0)
        """
    }

    /// Live directory entries of types that do not exist, and are not being removed.
    static func entriesOfNoType(_ columns: String, removedTypes: Set<Int64>) -> String {
        let removed = removedTypes.sorted().map(String.init).joined(separator: ",")
        return """
            SELECT \(columns) FROM directory WHERE deleted = 0 AND type NOT IN (SELECT id FROM record_type)
            AND type NOT IN (\(removed)) AND \(ofLiveZone("zone"))
            """
    }

    /// Directory entries of zones that do not exist.
    static func entriesOfNoZone(_ columns: String) -> String {
        "SELECT \(columns) FROM directory WHERE zone NOT IN (SELECT id FROM zone)"
    }

    /// References held by records that do not exist.
    static func ownerlessReferences(_ columns: String) -> String {
        """
        SELECT \(columns) FROM reference WHERE \(ofLiveZone("reference.zone")) AND NOT EXISTS (
            SELECT 1 FROM directory WHERE directory.zone = reference.zone AND directory.name = reference.owner
            AND directory.deleted = 0)
        """
    }

    /// Uses of files that no row knows.
    static let usesOfUnknownAssets =
        "SELECT count(*) FROM asset_use WHERE NOT EXISTS (SELECT 1 FROM asset WHERE asset.digest = asset_use.digest)"

    /// Files of versions that no row knows.
    static let versionsOfUnknownAssets =
        "SELECT count(*) FROM version_asset WHERE digest NOT IN (SELECT digest FROM asset)"

    /// Files held for versions that do not exist.
    static func ownerlessVersionAssets(_ columns: String) -> String {
        "SELECT \(columns) FROM version_asset WHERE version NOT IN (SELECT id FROM record_version)"
    }

    /// Uses of files by records that do not exist.
    static func ownerlessAssetUses(_ columns: String) -> String {
        """
        SELECT \(columns) FROM asset_use WHERE \(ofLiveZone("asset_use.zone")) AND NOT EXISTS (
            SELECT 1 FROM directory WHERE directory.zone = asset_use.zone AND directory.name = asset_use.owner
            AND directory.deleted = 0)
        """
    }

    /// The largest sequence number that anything carries, over the types given.
    static func largestSequence(types: [Int64]) -> String {
        let tables = types.map { "SELECT max(sequence) AS value FROM r\($0)" }
        let others = [
            "SELECT max(sequence) AS value FROM directory", "SELECT max(sequence) AS value FROM zone",
        ]
        return "SELECT max(value) FROM (\((others + tables).joined(separator: " UNION ALL ")))"
    }
}
