package import Foundation

extension ArchivedItem {
    /// The value, where it is one that a model can write; `other` says what becomes of other objects.
    func modelValue(
        _ type: AttributeType, other: (ArchivedItem) throws -> ModelValue?
    ) throws -> ModelValue? {
        switch className {
        case "NSNull": return nil
        case "NSDate": return self["NS.time"]?.seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case "NSUUID":
            guard let bytes = self["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case "NSURL": return url(depth: 0).map { .uri($0) }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return decimal.map { Self.number($0, type) }
        default: break
        }
        switch plain {
        case .bool(let value):
            return type == .boolean ? .boolean(value) : Self.number(Int64(value ? 1 : 0), type)
        case .int(let value): return type == .boolean ? .boolean(value != 0) : Self.number(value, type)
        case .real(let value): return type == .boolean ? .boolean(value != 0) : Self.number(value, type)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default: break
        }
        if let text = string { return type == .uri ? .uri(text) : .string(text) }
        if let data, className?.hasSuffix("Data") ?? true { return .data(data) }
        return try other(self)
    }

    package var seconds: Double? {
        switch plain {
        case .real(let value), .date(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }

    private func url(depth: Int) -> String? {
        guard let relative = self["NS.relative"]?.string else { return string }
        guard depth < 4, let base = self["NS.base"]?.url(depth: depth + 1), let whole = URL(string: base)
        else {
            return relative
        }
        return URL(string: relative, relativeTo: whole)?.absoluteString ?? relative
    }

    /// The decimal number of an `NSDecimalNumber`: up to eight groups of 16 bits, the lowest first.
    package var decimal: Decimal? {
        guard let mantissa = self["NS.mantissa"]?.data, let exponent = self["NS.exponent"]?.int,
            (-128...127).contains(exponent), mantissa.count <= 16
        else { return nil }
        let length = self["NS.length"]?.int ?? 8
        let isLittle = (self["NS.mantissa.bo"]?.int ?? 1) != 2
        let bytes = [UInt8](mantissa)
        var value: UInt128 = 0
        for group in (0..<min(bytes.count / 2, Int(max(0, min(8, length))))).reversed() {
            let low = UInt128(bytes[group * 2 + (isLittle ? 0 : 1)])
            let high = UInt128(bytes[group * 2 + (isLittle ? 1 : 0)])
            value = value << 16 | high << 8 | low
        }
        let sign = self["NS.negative"]?.bool == true ? "-" : ""
        return Decimal(string: "\(sign)\(value)e\(exponent)", locale: Locale(identifier: "en_US_POSIX"))
    }

    /// A number in the form that attributes of the type have.
    private static func number(_ value: Int64, _ type: AttributeType) -> ModelValue {
        switch type {
        case .double, .float: .double(Double(value))
        case .decimal: .decimal(Decimal(value))
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        default: .integer(value)
        }
    }

    private static func number(_ value: Double, _ type: AttributeType) -> ModelValue {
        switch type {
        case .integer16, .integer32, .integer64: Int64(exactly: value).map { .integer($0) } ?? .double(value)
        case .decimal where value.isFinite: .decimal(Decimal(value))
        case .date: .date(Date(timeIntervalSinceReferenceDate: value))
        default: .double(value)
        }
    }

    private static func number(_ value: Decimal, _ type: AttributeType) -> ModelValue {
        switch type {
        case .double, .float: .double(NSDecimalNumber(decimal: value).doubleValue)
        case .integer16, .integer32, .integer64:
            Int64("\(value)").map { .integer($0) } ?? .decimal(value)
        default: .decimal(value)
        }
    }
}
