internal import DataModel
internal import Foundation

extension ModelValue {
    /// The value as descriptions hold it; nil for an archive of other classes than those of plain values.
    var anyValue: Any? {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .boolean(let value): NSNumber(value: value)
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .uri(let text): URL(string: text) ?? text
        case .archived(let data): SecureArchive.value(data, classes: [])
        }
    }

    /// A value that code set, in the form that attributes of the type have.
    /// - Returns: nil for an object that cannot be archived.
    init?(_ any: Any, type: DataModel.AttributeType) {
        switch any {
        case let value as ModelValue: self = value
        case let value as String: self = type == .uri ? .uri(value) : .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .uri(value.absoluteString)
        case let value as NSDecimalNumber: self = Self.number(value.decimalValue, type)
        case let value as Decimal: self = Self.number(value, type)
        case let value as NSNumber: self = Self.number(value, type)
        case let value as Bool: self = type == .boolean ? .boolean(value) : .integer(value ? 1 : 0)
        case let value as any BinaryInteger:
            self = Self.number(NSNumber(value: Int64(truncatingIfNeeded: value)), type)
        case let value as any BinaryFloatingPoint: self = Self.number(NSNumber(value: Double(value)), type)
        default:
            guard let data = SecureArchive.data(any, classes: []) else { return nil }
            self = .archived(data)
        }
    }

    private static func number(_ value: Decimal, _ type: DataModel.AttributeType) -> ModelValue {
        type == .decimal ? .decimal(value) : number(NSDecimalNumber(decimal: value), type, isWhole: false)
    }

    private static func number(_ value: NSNumber, _ type: DataModel.AttributeType) -> ModelValue {
        let kind = UInt8(bitPattern: value.objCType.pointee)
        return number(value, type, isWhole: kind != UInt8(ascii: "d") && kind != UInt8(ascii: "f"))
    }

    private static func number(
        _ value: NSNumber, _ type: DataModel.AttributeType, isWhole: Bool
    ) -> ModelValue {
        switch type {
        case .boolean: .boolean(value.boolValue)
        case .double, .float: .double(value.doubleValue)
        case .decimal: .decimal(value.decimalValue)
        case .date: .date(Date(timeIntervalSinceReferenceDate: value.doubleValue))
        default:
            if isWhole {
                .integer(value.int64Value)
            } else if let whole = Int64(exactly: value.doubleValue) {
                .integer(whole)
            } else {
                .double(value.doubleValue)
            }
        }
    }

    /// The number, or the date in seconds since 2001; nil for everything else.
    var decimalBound: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .double(let value): value.isFinite ? Decimal(value) : nil
        case .decimal(let value): value
        case .date(let value): Decimal(value.timeIntervalSinceReferenceDate)
        default: nil
        }
    }
}
