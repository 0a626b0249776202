public import RecordModel

/// A value of a described table's column, in the form in which it goes from one engine to another.
public enum TableValue: Sendable {
    case null
    case int(Int64)
    case text(String)
    case bytes([UInt8])
}

/// Texts are equal where their bytes are: engines know nothing of canonical equivalence.
extension TableValue: Hashable {
    public static func == (first: TableValue, second: TableValue) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.int(let first), .int(let second)): first == second
        case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
        case (.bytes(let first), .bytes(let second)): first == second
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .bytes(let bytes): hasher.combine(bytes)
        }
    }
}

extension TableValue {
    /// How many bytes it takes, about.
    public var byteCount: Int {
        switch self {
        case .null, .int: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// Whether the value comes before another one of its column: numbers by size, texts and bytes by their bytes.
    public func precedes(_ other: TableValue) -> Bool {
        switch (self, other) {
        case (.int(let mine), .int(let theirs)): mine < theirs
        case (.text(let mine), .text(let theirs)): mine.utf8.lexicographicallyPrecedes(theirs.utf8)
        case (.bytes(let mine), .bytes(let theirs)): mine.lexicographicallyPrecedes(theirs)
        default: false
        }
    }
}

/// A type whose values a column of a described table holds.
package protocol ColumnCoding: Sendable {
    /// What the column holds.
    static var columnKind: TableShape.Kind { get }
    /// The value as the column has it.
    var columnValue: TableValue { get }
    /// The value of a column; nil where it is none of this type.
    init?(columnValue: TableValue)
}

extension Int64: ColumnCoding {
    package static var columnKind: TableShape.Kind { .int }
    package var columnValue: TableValue { .int(self) }
    package init?(columnValue: TableValue) {
        guard case .int(let value) = columnValue else { return nil }
        self = value
    }
}

extension Bool: ColumnCoding {
    package static var columnKind: TableShape.Kind { .int }
    package var columnValue: TableValue { .int(self ? 1 : 0) }
    package init?(columnValue: TableValue) {
        guard case .int(let value) = columnValue else { return nil }
        self = value != 0
    }
}

extension String: ColumnCoding {
    package static var columnKind: TableShape.Kind { .text }
    package var columnValue: TableValue { .text(self) }
    package init?(columnValue: TableValue) {
        guard case .text(let value) = columnValue else { return nil }
        self = value
    }
}

/// What a column holds as a list: bytes, or texts without line breaks in one text with a line for each.
package protocol ColumnElement: Sendable {
    static var columnKind: TableShape.Kind { get }
    static func columnValue(of list: [Self]) -> TableValue
    static func list(columnValue: TableValue) -> [Self]?
}

extension UInt8: ColumnElement {
    package static var columnKind: TableShape.Kind { .bytes }
    package static func columnValue(of list: [UInt8]) -> TableValue { .bytes(list) }
    package static func list(columnValue: TableValue) -> [UInt8]? {
        guard case .bytes(let bytes) = columnValue else { return nil }
        return bytes
    }
}

extension String: ColumnElement {
    package static func columnValue(of list: [String]) -> TableValue { .text(list.lines) }
    package static func list(columnValue: TableValue) -> [String]? {
        guard case .text(let text) = columnValue else { return nil }
        return Array(lines: text)
    }
}

extension Array: ColumnCoding where Element: ColumnElement {
    package static var columnKind: TableShape.Kind { Element.columnKind }
    package var columnValue: TableValue { Element.columnValue(of: self) }
    package init?(columnValue: TableValue) {
        guard let list = Element.list(columnValue: columnValue) else { return nil }
        self = list
    }
}

extension Optional: ColumnCoding where Wrapped: ColumnCoding {
    package static var columnKind: TableShape.Kind { Wrapped.columnKind }
    package var columnValue: TableValue { self?.columnValue ?? .null }
    package init?(columnValue: TableValue) {
        if columnValue == .null {
            self = .none
        } else {
            guard let value = Wrapped(columnValue: columnValue) else { return nil }
            self = value
        }
    }
}

extension ColumnCoding where Self: RawRepresentable, RawValue: ColumnCoding {
    package static var columnKind: TableShape.Kind { RawValue.columnKind }
    package var columnValue: TableValue { rawValue.columnValue }
    package init?(columnValue: TableValue) {
        guard let raw = RawValue(columnValue: columnValue) else { return nil }
        self.init(rawValue: raw)
    }
}

extension ReceiverOrigin: ColumnCoding {
    package static var columnKind: TableShape.Kind { .text }
    package var columnValue: TableValue { .text(stored) }
    package init?(columnValue: TableValue) {
        guard case .text(let text) = columnValue else { return nil }
        self.init(stored: text)
    }
}

extension TokenRow.Kind: ColumnCoding {}
extension CredentialRow.Kind: ColumnCoding {}
extension OperatorTokenRow.Kind: ColumnCoding {}
extension SignInPolicyRow.Admission: ColumnCoding {}
extension ErasureRow.PublicRecords: ColumnCoding {}
extension ReceiverRow.Channel: ColumnCoding {}
extension AccountLinkRow.Purpose: ColumnCoding {}
extension LoggedChange.Kind: ColumnCoding {}

extension Tenant: ColumnCoding {
    /// What stands between the container and the environment: no identifier has it.
    package static let columnSeparator = " "

    package static var columnKind: TableShape.Kind { .tenant }
    package var columnValue: TableValue {
        .text(container.rawValue + Self.columnSeparator + environment.rawValue)
    }
    package init?(columnValue: TableValue) {
        guard case .text(let text) = columnValue else { return nil }
        let parts = text.split(separator: Self.columnSeparator, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(String(parts[0]), String(parts[1]))
    }
}
