internal import Foundation
internal import Predicates
internal import RecordModel

extension FieldValue {
    /// The value in the format language.
    var predicateValue: PredicateValue {
        switch self {
        case .string(let value): .string(value)
        case .int64(let value): .int(value)
        case .double(let value): .double(value)
        case .timestamp(let value): .date(Date(milliseconds: value))
        case .bytes(let value): .data(Data(value))
        case .reference(let value): .string(value.recordName)
        case .asset(let value): .string(value.fileChecksum)
        case .location(let value): .list([.double(value.latitude), .double(value.longitude)])
        case .list(let values, _): .list(values.map(\.predicateValue))
        }
    }

    /// The value of a field that a predicate's value means; nil for nothing.
    ///
    /// - Throws: `CKError.invalidArguments` for what no field can hold.
    static func from(_ value: PredicateValue) throws(CKError) -> FieldValue? {
        switch value {
        case .null: return nil
        case .bool(let value): return .int64(value ? 1 : 0)
        case .int(let value): return .int64(value)
        case .double(let value): return .double(value)
        case .decimal(let value): return .double(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let value): return .string(value)
        case .date(let value): return .timestamp(value.milliseconds)
        case .data(let value): return .bytes(Array(value))
        case .uuid(let value): return .string(value.uuidString)
        case .url: throw refused("an address (URL)")
        case .dictionary: throw refused("a dictionary")
        case .list(let values): return try list(values)
        case .set(let values):
            // Sorted by text, so that equal queries make equal requests.
            return try list(values.sorted { $0.description < $1.description })
        case .object(let object): return try from(object: object.base)
        }
    }

    private static func from(object: Any) throws(CKError) -> FieldValue {
        switch object {
        case let reference as CKReference: .reference(Reference(recordName: reference.recordID.recordName))
        case let recordID as CKRecordID: .reference(Reference(recordName: recordID.recordName))
        case let record as CKRecord: .reference(Reference(recordName: record.recordID.recordName))
        case let location as CLLocation: .location(location.wire)
        default: throw refused("a \(Swift.type(of: object))")
        }
    }

    private static func list(_ elements: [PredicateValue]) throws(CKError) -> FieldValue {
        var values: [FieldValue] = []
        for element in elements {
            guard let value = try from(element) else { throw refused("a list with nothing in it (nil)") }
            values.append(value)
        }
        let kinds = Set(values.compactMap { $0.type?.scalar })
        if kinds == [.int64, .double] {
            let numbers = values.map { value in
                if case .int64(let number) = value { FieldValue.double(Double(number)) } else { value }
            }
            return .list(numbers, of: .double)
        }
        guard kinds.count <= 1 else { throw refused("a list of several kinds of values") }
        return .list(values, of: kinds.first)
    }

    private static func refused(_ what: String) -> CKError {
        CKError(
            .invalidArguments, "The predicate compares a field with \(what), which no field can hold.")
    }
}
