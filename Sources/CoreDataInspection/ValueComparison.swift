internal import DataModel
internal import Foundation
internal import SQLiteAccess
internal import StratusCoreData

/// Compares a value that Core Data read with what is in the column, by the documented rules.
struct ValueComparison {
    enum Outcome {
        case equal
        /// Core Data read something else.
        case different(expected: String)
        /// The column holds what the type does not allow, so there is no rule to compare by.
        case odd(String)
        /// The value is what nothing here can decode; Core Data gave its bytes as they are stored.
        case undecoded
    }

    /// The folder of values that are too large for the file.
    let externalFolder: URL

    func compare(_ value: Any?, _ stored: SQLiteValue, _ attribute: NSAttributeDescription) -> Outcome {
        if stored == .null { return value == nil ? .equal : .different(expected: "nil") }
        switch attribute.attributeType {
        case .booleanAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return integer(value, stored, attribute.attributeType)
        case .doubleAttributeType, .floatAttributeType: return real(value, stored, attribute.attributeType)
        case .dateAttributeType:
            guard let seconds = Self.number(stored) else { return .odd("a date is \(Self.kind(stored))") }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return outcome((value as? Date) == date, "\(date) (\(seconds))")
        case .decimalAttributeType:
            guard let number = Self.number(stored) else { return .odd("a decimal is \(Self.kind(stored))") }
            let read = (value as? NSDecimalNumber)?.doubleValue
            return outcome(read.map { abs($0 - number) <= abs(number) * 1e-14 } ?? false, "\(number)")
        case .stringAttributeType:
            guard case .text(let text) = stored else {
                return .odd("a string is \(Self.kind(stored))")
            }
            // Texts that look the same may differ in bytes.
            return outcome((value as? String).map { Array($0.utf8) } == Array(text.utf8), "'\(text)'")
        case .URIAttributeType:
            guard case .text(let text) = stored else {
                return .odd("a URI is \(Self.kind(stored))")
            }
            let read = (value as? URL)?.absoluteString ?? value as? String
            return outcome(read == text || (value as? URL) == URL(string: text), text)
        case .UUIDAttributeType:
            if case .text(let text) = stored, text.utf8.count != 16 {
                guard let uuid = UUID(uuidString: text) else { return .odd("a UUID is a text") }
                return outcome((value as? UUID) == uuid, text)
            }
            guard let data = Self.bytes(stored), data.count == 16 else {
                return .odd("a UUID is \(Self.kind(stored))")
            }
            let bytes = (value as? UUID).map { withUnsafeBytes(of: $0.uuid) { Data($0) } }
            return outcome(bytes == data, data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        case .binaryDataAttributeType: return binary(value, stored, attribute)
        case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            if value == nil {
                return .different(expected: "a value, for \(Self.kind(stored)) that is stored")
            }
            guard let bytes = value as? Data, case .blob(let data) = stored else { return .equal }
            if bytes == data { return .undecoded }
            // What was archived may be bytes itself.
            if (try? KeyedArchive(data))?.root?.data == bytes { return .equal }
            return .different(expected: "\(data.count) other bytes")
        }
    }

    private func integer(_ value: Any?, _ stored: SQLiteValue, _ type: NSAttributeType) -> Outcome {
        guard case .int(let number) = stored else {
            return .odd("an integer is \(Self.kind(stored))")
        }
        let read = value as? NSNumber
        switch type {
        case .booleanAttributeType:
            if number != 0, number != 1 { return .odd("a Boolean is \(number)") }
            return outcome(read?.boolValue == (number != 0), "\(number != 0)")
        case .integer16AttributeType where Int16(exactly: number) == nil:
            return .odd("an Integer 16 is \(number)")
        case .integer32AttributeType where Int32(exactly: number) == nil:
            return .odd("an Integer 32 is \(number)")
        default: return outcome(read?.int64Value == number, "\(number)")
        }
    }

    private func real(_ value: Any?, _ stored: SQLiteValue, _ type: NSAttributeType) -> Outcome {
        guard let number = Self.number(stored) else { return .odd("a number is \(Self.kind(stored))") }
        let read = (value as? NSNumber)?.doubleValue
        let isEqual =
            type == .floatAttributeType ? read.map { Float($0) == Float(number) } : read.map { $0 == number }
        return outcome(isEqual ?? false, "\(number)")
    }

    private func binary(_ value: Any?, _ stored: SQLiteValue, _ attribute: NSAttributeDescription)
        -> Outcome
    {
        guard case .blob(let data) = stored else { return .odd("bytes are \(Self.kind(stored))") }
        guard attribute.allowsExternalBinaryDataStorage else {
            return outcome((value as? Data) == data, "\(data.count) bytes")
        }
        switch data.first {
        case 1: return outcome((value as? Data) == data.dropFirst(), "\(data.count - 1) bytes after the mark")
        case 2 where data.count == 38:
            let name = String(decoding: data.dropFirst().prefix(36), as: UTF8.self)
            // Whatever the reason is, the store cannot have read it either.
            guard let file = try? Data(contentsOf: externalFolder.appendingPathComponent(name)) else {
                return value == nil
                    ? .odd("the file of an external value is missing")
                    : .different(expected: "nil, since the file is missing")
            }
            return outcome((value as? Data) == file, "\(file.count) bytes of \(name)")
        default:
            return (value as? Data) == data
                ? .odd("an external value has no mark")
                : .different(expected: "\(data.count) bytes without mark")
        }
    }

    private func outcome(_ isEqual: Bool, _ expected: @autoclosure () -> String) -> Outcome {
        isEqual ? .equal : .different(expected: String(expected().prefix(80)))
    }

    private static func number(_ value: SQLiteValue) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The bytes of a blob, and of a text, which some tools keep bytes as.
    private static func bytes(_ value: SQLiteValue) -> Data? {
        switch value {
        case .blob(let data): data
        case .text(let text): Data(text.utf8)
        default: nil
        }
    }

    private static func kind(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "nothing"
        case .int: "an integer"
        case .double: "a floating-point number"
        case .text: "a text"
        case .blob(let data): "\(data.count) bytes"
        }
    }
}
