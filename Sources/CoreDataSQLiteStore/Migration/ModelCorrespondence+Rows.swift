internal import SQLiteAccess
internal import StratusCoreData

extension ModelCorrespondence {
    /// What stands in the way of a store, with the objects that it has.
    func obstacles(
        _ contents: StoreContents, _ connection: SQLiteConnection, configuration: String?
    ) throws -> [MigrationObstacle] {
        guard !rowObstacles.isEmpty else { return obstacles }
        let layout = try? LayoutBuilder.layout(
            source, configuration: contents.configuration(configuration, in: source), schema: contents.schema)
        var known = Set(obstacles)
        var result = obstacles
        for row in rowObstacles where !known.contains(row.obstacle) {
            // Tables that cannot be made out may hold anything.
            if let table = layout?.table(of: row.source) {
                let columns = row.attribute.flatMap { table.storage($0.name) }?.rowColumns ?? []
                let conditions = ["Z_ENT = \(table.number)"] + columns.map { "\($0) IS NULL" }
                let sql =
                    "SELECT count(*) FROM (SELECT 1 FROM \(table.table.sqlName) "
                    + "WHERE \(conditions.joined(separator: " AND ")) LIMIT 1)"
                guard try connection.number(sql) > 0 else { continue }
            } else if layout != nil {
                continue
            }
            known.insert(row.obstacle)
            result.append(row.obstacle)
        }
        return result
    }
}
