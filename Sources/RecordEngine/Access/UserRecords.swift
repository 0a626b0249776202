import RecordModel
import RecordStorage
import RecordWire

/// The records of type Users: one for each user, named as the user is, in the default zones of the public database and
/// of the user's private one.
///
/// They are there from the beginning without being stored: the first change of one stores it. Nobody makes a Users
/// record of another name, and nobody asks for them by query, as Apple's documentation of `CKQuery` says: they are
/// fetched by name.
struct UserRecords {
    static let typeName = "Users"
    /// The version of a record that nobody changed yet.
    static let firstSequence: Int64 = 0

    let context: CallContext
    let zone: ZoneID
    let reader: any StoreReader

    /// When the user of a record was made; nil where the record is no user's, or not to be found in this zone.
    func creation(ofUserNamed name: String) throws -> Int64? {
        // All names of users begin so and no other record's, which keeps other requests from asking the store.
        guard name.utf8.first == UInt8(ascii: "_"), zone.isDefault else { return nil }
        if let owner = context.database.owner, owner != name { return nil }
        if let user = try reader.user(named: name, of: context.tenant) { return user.createdAt }
        // A token may stand for a user that the operator never listed.
        return context.caller == .user(name) || context.database.owner == name ? 0 : nil
    }

    /// The record of a user as it is before anybody changed it; nil for other names.
    func unchanged(named name: String) throws -> RecordRow? {
        guard let createdAt = try creation(ofUserNamed: name) else { return nil }
        let stamp = RecordStamp(
            timestamp: createdAt, userRecordName: name, deviceID: RecordStamp.webDeviceID)
        let body = RecordBody.make(
            RecordBody.Parts(
                recordName: name, recordType: Self.typeName, changeTag: ChangeTag.text(Self.firstSequence),
                fields: [], created: stamp, modified: stamp, parent: nil))
        return RecordRow(
            id: 0, zone: 0, type: 0, name: name, sequence: Self.firstSequence, createdBy: name,
            createdAt: createdAt, body: body)
    }

    /// Refuses to save a record of type Users under another name than a user's.
    static func checkType(_ type: String?, isUser: Bool) throws(ServiceError) {
        guard isUser != (type == typeName) else { return }
        if isUser, type == nil { return }
        throw ServiceError(
            .badRequest,
            isUser
                ? "The record is of type 'Users'; a record's type cannot change."
                : "Records of type 'Users' belong to the service: each user has one, and no others can be created.",
            remedy: isUser
                ? nil : "Save what belongs to a user in the user's own record; users/caller gives its name.")
    }
}
