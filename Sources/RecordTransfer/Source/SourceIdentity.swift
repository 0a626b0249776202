import RecordEngine
import RecordModel
import RecordWire

/// A user whose private database is copied: named so there, and perhaps otherwise here.
public struct SourceIdentity: Sendable, Hashable {
    /// The record name at the service that is read.
    public var there: String
    /// The record name here.
    public var here: String

    /// Pairs the two names of a user.
    public init(there: String, here: String) {
        self.there = there
        self.here = here
    }

    /// The record with the user's name here wherever the one there stood: in stamps and in the zones of references.
    func here(_ record: IncomingRecord) -> IncomingRecord {
        guard there != here else { return record }
        var record = record
        if record.created.userRecordName == there { record.created.userRecordName = here }
        if record.modified.userRecordName == there { record.modified.userRecordName = here }
        for index in record.fields.indices { record.fields[index].value = here(record.fields[index].value) }
        return record
    }

    private func here(_ value: FieldValue) -> FieldValue {
        switch value {
        case .reference(var reference):
            if reference.zoneID?.ownerName == there { reference.zoneID?.ownerName = here }
            return .reference(reference)
        case .list(let elements, of: .reference): return .list(elements.map { here($0) }, of: .reference)
        default: return value
        }
    }
}
