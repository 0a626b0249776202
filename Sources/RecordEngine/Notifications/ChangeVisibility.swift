import RecordModel
import RecordWire

/// Whether a receiver may read a record: the one place that all channels ask, when they tell.
struct ChangeVisibility: Sendable {
    let rights: AccessRights
    /// In the shared database: what its user takes part in; nil in the others.
    var shared: SharedAudience?

    /// How long rights are taken for what they were, in seconds: as long as the service remembers roles and tokens.
    static let rememberedSeconds = SecurityRoles.rememberedSeconds

    /// - Parameter type: the record's type; nobody but the owner of the database may read what has none any more.
    func mayRead(_ record: LoggedRecord, of type: RecordType?) -> Bool {
        if rights.isUnlimited { return true }
        guard let type else { return false }
        return rights.may(.read, recordOf: type, madeBy: record.created.userRecordName)
    }
}
