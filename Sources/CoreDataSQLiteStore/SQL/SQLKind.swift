internal import SQLiteAccess
internal import StratusCoreData

/// What kind of value an SQL expression gives, null apart. Known before the statement runs.
enum SQLKind: Hashable {
    /// 0 or 1.
    case bool
    /// An integer.
    case int
    /// A floating-point number.
    case real
    /// One of the two, as SQLite's type says.
    case number
    /// The column of a decimal attribute: SQLite keeps it as a floating-point number, or as an integer.
    case decimal
    /// A number of any type; a decimal is a text.
    case exact
    case string
    /// Seconds since 2001.
    case date
    case data
    case uuid
    case url
    /// The number of an entity.
    case entity
    /// The key of an object, in the table of the root with this number.
    case object(Int)
    /// A value that only Swift can read.
    case opaque
    /// Never anything but null.
    case nothing

    init(_ type: NSAttributeType) {
        self =
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .int
            case .booleanAttributeType: .bool
            case .doubleAttributeType, .floatAttributeType: .real
            case .decimalAttributeType: .decimal
            case .stringAttributeType: .string
            case .dateAttributeType: .date
            case .binaryDataAttributeType: .data
            case .UUIDAttributeType: .uuid
            case .URIAttributeType: .url
            case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
                .compositeAttributeType:
                .opaque
            }
    }

    var isNumber: Bool {
        switch self {
        case .bool, .int, .real, .number, .decimal, .exact: true
        default: false
        }
    }

    /// Whether SQLite computes with the values as Predicates does.
    var isPlainNumber: Bool {
        switch self {
        case .bool, .int, .real, .number: true
        default: false
        }
    }

    /// For messages.
    var name: String {
        switch self {
        case .bool: "a Boolean"
        case .int, .real, .number, .decimal, .exact: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .entity: "an entity"
        case .object: "an object"
        case .opaque: "a transformable value"
        case .nothing: "nil"
        }
    }

    /// The letter by which our functions in SQL know how to read a value.
    var letter: Character {
        switch self {
        case .bool: "b"
        case .int, .real, .number, .exact, .nothing, .entity, .object: "n"
        case .decimal: "d"
        case .string: "s"
        case .date: "t"
        case .data, .opaque: "x"
        case .uuid: "u"
        case .url: "l"
        }
    }

    /// The kind of a constant.
    init?(_ value: PredicateValue) {
        switch value {
        case .null: self = .nothing
        case .bool: self = .bool
        case .int: self = .int
        case .double: self = .real
        case .decimal: self = .exact
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .uuid: self = .uuid
        case .url: self = .url
        case .list, .set, .dictionary, .object: return nil
        }
    }
}

extension SQLBinding {
    /// A constant as our functions, and columns of its kind, have it; nil for what is not a single value.
    init?(_ value: PredicateValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .int(flag ? 1 : 0)
        case .int(let number): self = .int(number)
        case .double(let number): self = number.isNaN ? .null : .double(number)
        case .decimal(let number): self = .text("\(number)")
        case .string(let text): self = .text(text)
        case .date(let date): self.init(.double(date.timeIntervalSinceReferenceDate))
        case .data(let data): self = .blob(data)
        case .uuid(let uuid): self = .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .url(let url): self = .text(url.absoluteString)
        case .list, .set, .dictionary, .object: return nil
        }
    }

    /// The value as a predicate sees it.
    func value(_ letter: Character) -> PredicateValue {
        switch (self, letter) {
        case (.null, _): .null
        case (.int(let number), "b"): .bool(number != 0)
        case (.int(let number), "t"): .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case (.double(let number), "t"): .date(Date(timeIntervalSinceReferenceDate: number))
        case (.int(let number), "d"): .decimal(Decimal(number))
        case (.int(let number), _): .int(number)
        case (.double(let number), "d"): .decimal(Decimal(stored: number))
        case (.double(let number), _): .double(number)
        case (.text(let text), "s"): .string(text)
        case (.text(let text), "l"): URL(string: text).map { .url($0) } ?? .null
        case (.text(let text), _):
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) } ?? .null
        case (.blob(let data), "u"): UUID(bytes: data).map { .uuid($0) } ?? .null
        case (.blob(let data), _): .data(data)
        }
    }
}

extension UUID {
    /// The UUID of 16 bytes; nil for another number of them.
    fileprivate init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}

extension Decimal {
    /// The decimal number that a column's floating-point number stands for: the shortest that rounds to it.
    init(stored number: Double) {
        self = Decimal(string: "\(number)", locale: Locale(identifier: "en_US_POSIX")) ?? Decimal(number)
    }
}
