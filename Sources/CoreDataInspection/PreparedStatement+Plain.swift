internal import Foundation
internal import SQLiteAccess

// A damaged store may hold anything anywhere: each of these takes any value of any type.
extension PreparedStatement {
    /// The number in a column; nil for anything else.
    func integer(_ column: Int32) -> Int64? {
        switch value(column) {
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The text in a column; empty for anything else.
    func string(_ column: Int32) -> String {
        guard case .text(let text) = value(column) else { return "" }
        return text
    }

    /// The bytes in a column; nil for anything else.
    func data(_ column: Int32) -> Data? {
        guard case .blob(let data) = value(column) else { return nil }
        return data
    }
}
