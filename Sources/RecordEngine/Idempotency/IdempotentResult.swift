import RecordModel
import RecordStorage
import RecordWire

/// What became of a request's operations, in their order: with the request itself, enough to answer it again.
///
/// Records are not in it, since the answer to a repetition shows them as they are then: an outcome takes a few bytes where
/// answers take megabytes. Zones are, since a sync token has to be the one of the moment when the zone was made.
struct IdempotentResult: Sendable {
    /// What became of one operation. Names are there where the service chose them.
    enum Item: Sendable {
        case saved(name: String?)
        case deleted
        case zone(id: Int64, sequence: Int64)
        case failed(ServiceError)
    }

    private(set) var items: [Item] = []
    private var errorBytes = 0

    /// Notes what became of the next operation. Of errors beyond the room for their sentences the code remains.
    mutating func add(_ item: Item) {
        guard case .failed(let error) = item else { return items.append(item) }
        var kept = ServiceError(error.code, error.reason, remedy: error.remedy)
        kept.retryAfterSeconds = error.retryAfterSeconds
        kept.exceededLimit = error.exceededLimit
        kept.nativeCode = error.nativeCode
        errorBytes += error.reason.utf8.count + (error.remedy?.utf8.count ?? 0)
        if errorBytes > Limits.keptErrorBytes {
            kept.reason =
                "The operation failed. The reason was not kept, because too many operations of the request failed."
            kept.remedy = nil
        }
        items.append(.failed(kept))
    }

    init() {}

    // MARK: As it is stored

    /// A JSON array: 1 for saved, a text for saved under this name, 0 for deleted, an array for a zone, an object for an
    /// error.
    func encoded() -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginArray()
            for item in items {
                switch item {
                case .saved(let name?): writer.string(name)
                case .saved(nil): writer.int(1)
                case .deleted: writer.int(0)
                case .zone(let id, let sequence):
                    writer.beginArray()
                    writer.int(id)
                    writer.int(sequence)
                    writer.endArray()
                case .failed(let error):
                    writer.beginObject()
                    writer.member("code", error.code.description)
                    writer.member("reason", error.reason)
                    writer.member("remedy", error.remedy)
                    writer.member("retryAfter", error.retryAfterSeconds)
                    writer.member("limit", error.exceededLimit)
                    writer.member("native", error.nativeCode)
                    writer.endObject()
                }
            }
            writer.endArray()
        }
    }

    /// - Throws: `StorageError` for bytes that are no outcome.
    init(encoded: [UInt8]) throws {
        guard let array = try? JSONReader.read(encoded).array else { throw Self.unreadable }
        items = try array.map { try Self.item($0) }
    }

    private static func item(_ value: JSONValue) throws(StorageError) -> Item {
        switch value {
        case .int(1): return .saved(name: nil)
        case .int(0): return .deleted
        case .string(let name): return .saved(name: name)
        case .array(let numbers):
            guard numbers.count == 2, case .int(let id) = numbers[0], case .int(let sequence) = numbers[1]
            else { throw unreadable }
            return .zone(id: id, sequence: sequence)
        case .object(let object):
            guard let code = object["code"]?.string.flatMap(ServiceError.Code.init(text:)) else {
                throw unreadable
            }
            var error = ServiceError(
                code, object["reason"]?.string ?? "", remedy: object["remedy"]?.string)
            if case .int(let seconds)? = object["retryAfter"] { error.retryAfterSeconds = Int(seconds) }
            error.exceededLimit = object["limit"]?.string
            if case .int(let native)? = object["native"] { error.nativeCode = Int(native) }
            return .failed(error)
        default: throw unreadable
        }
    }

    static let unreadable = StorageError.engine("What was kept of a request cannot be read.")
}
