internal import Foundation

extension ArchiveBuilder {
    /// A value of a model as an object of the table.
    ///
    /// - Throws: ``ModelDocumentError`` for a decimal that is not a number, and for damaged archived objects.
    mutating func value(_ value: ModelValue) throws -> Value {
        switch value {
        case .integer(let value): return plain(.int(value))
        case .double(let value): return plain(.real(value))
        case .boolean(let value): return plain(.bool(value))
        case .string(let text): return string(text)
        case .data(let data): return plain(.data(data))
        case .date(let date):
            return object(["NSDate", "NSObject"], ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
            return object(["NSUUID", "NSObject"], ["NS.uuidbytes": .data(bytes)])
        case .uri(let text):
            return object(["NSURL", "NSObject"], ["NS.base": Self.null, "NS.relative": string(text)])
        case .decimal(let decimal): return try self.decimal(decimal)
        case .archived(let data):
            guard let root = try KeyedArchive(data).root else { return Self.null }
            return try copy(root)
        }
    }

    mutating func decimal(_ value: Decimal) throws -> Value {
        let magnitude = value.magnitude
        guard !value.isNaN, let mantissa = UInt128("\(magnitude.significand)") else {
            throw ModelDocumentError(.notExpressible("a decimal that is not a number"))
        }
        var bytes: [UInt8] = []
        for group in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: mantissa >> UInt128(group * 8))) }
        let used = (128 - mantissa.leadingZeroBitCount + 15) / 16
        return object(
            ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            [
                "NS.mantissa": .data(Data(bytes)), "NS.mantissa.bo": .int(1), "NS.length": .int(Int64(used)),
                "NS.exponent": .int(Int64(value.exponent)), "NS.negative": .bool(value.sign == .minus),
                "NS.compact": .bool(true),
            ])
    }
}
