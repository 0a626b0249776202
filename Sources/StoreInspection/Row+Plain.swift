internal import GRDB

extension Row {
    /// The number in a column; nil for anything else. A damaged store may hold anything anywhere, and GRDB's own
    /// conversions stop the program where a value is of another type.
    func integer(_ index: Int) -> Int64? {
        let value: DatabaseValue = self[index]
        return Int64.fromDatabaseValue(value)
    }

    /// The text in a column; empty for anything else.
    func text(_ name: String) -> String {
        let value: DatabaseValue? = self[name]
        return value.flatMap { String.fromDatabaseValue($0) } ?? ""
    }

    /// The number in a column; 0 for anything else.
    func number(_ name: String) -> Int {
        let value: DatabaseValue? = self[name]
        return value.flatMap { Int.fromDatabaseValue($0) } ?? 0
    }
}
