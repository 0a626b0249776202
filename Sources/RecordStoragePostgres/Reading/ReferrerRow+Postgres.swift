internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension ReferrerRow {
    /// Reads who refers, the field and the action, which stand next to each other in a row.
    ///
    /// - Parameter column: that of who refers.
    init(_ rows: PostgresRows, _ row: Int, from column: Int) {
        self.init(
            name: PostgresText.decoded(rows.text(row, column)),
            field: PostgresText.decoded(rows.text(row, column + 1)),
            action: Reference.Action(rawValue: rows.text(row, column + 2)) ?? .none)
    }

    /// Reads rows of a target and who refers to it; targets that nobody refers to are not in it.
    static func byTarget(_ rows: PostgresRows) -> [ExactText: [ReferrerRow]] {
        Dictionary(grouping: 0..<rows.count) { ExactText(PostgresText.decoded(rows.text($0, 0))) }
            .mapValues { $0.map { ReferrerRow(rows, $0, from: 1) } }
    }
}
