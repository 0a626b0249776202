public import Foundation

/// Who a user is, as far as the user lets others know.
///
/// A value without parts that change. An app gets identities from shares and lookups; it does not make them.
///
/// Sendable is unchecked because the class is open, as Apple's is; what it holds itself never changes.
open class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The user's record; nil where it is not known.
    open private(set) var userRecordID: CKRecord.ID?
    /// What the user was looked up by; nil where the identity did not come of a lookup.
    open private(set) var lookupInfo: LookupInfo?
    /// The user's name; nil where the user does not share it.
    open private(set) var nameComponents: PersonNameComponents?
    /// Whether the user has an account with the service.
    open private(set) var hasiCloudAccount: Bool
    /// The cards of the device's address book that match; always empty, since there is no address book here.
    @available(*, deprecated, message: "There is no address book to match with.")
    open var contactIdentifiers: [String] { [] }

    init(
        userRecordID: CKRecord.ID?, lookupInfo: LookupInfo? = nil,
        nameComponents: PersonNameComponents? = nil, hasiCloudAccount: Bool
    ) {
        self.userRecordID = userRecordID
        self.lookupInfo = lookupInfo
        self.nameComponents = nameComponents
        self.hasiCloudAccount = hasiCloudAccount
    }

    /// The user of the app.
    static var currentUser: CKUserIdentity {
        CKUserIdentity(
            userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName), hasiCloudAccount: true)
    }

    /// Reads an identity from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "HasAccount") else { return nil }
        userRecordID = coder.safeObject(of: CKRecordID.self, forKey: "UserRecordID")
        lookupInfo = coder.safeObject(of: CKUserIdentityLookupInfo.self, forKey: "LookupInfo")
        nameComponents = coder.safeData(forKey: "Name").flatMap {
            try? JSONDecoder().decode(PersonNameComponents.self, from: $0)
        }
        hasiCloudAccount = coder.safeInt64(forKey: "HasAccount") != 0
    }

    /// Writes the identity to an archive.
    open func encode(with coder: NSCoder) {
        if let userRecordID { coder.encode(userRecordID, forKey: "UserRecordID") }
        if let lookupInfo { coder.encode(lookupInfo, forKey: "LookupInfo") }
        // NB: as JSON, since on Linux NSPersonNameComponents and a damaged archive look the same.
        if let name = nameComponents.flatMap({ try? JSONEncoder().encode($0) }) {
            coder.encode(NSData(data: name), forKey: "Name")
        }
        coder.encode(Int64(hasiCloudAccount ? 1 : 0), forKey: "HasAccount")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two identities say the same of a user.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
            && nameComponents == other.nameComponents && hasiCloudAccount == other.hasiCloudAccount
    }

    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(userRecordID)
        hasher.combine(lookupInfo)
        return hasher.finalize()
    }

    override open var description: String {
        "CKUserIdentity \(userRecordID?.recordName ?? lookupInfo?.description ?? "unknown")"
    }

    /// Whether the identities are of the same user, whatever else they say.
    func isSameUser(as other: CKUserIdentity) -> Bool {
        if let userRecordID, let its = other.userRecordID { return userRecordID == its }
        guard let lookupInfo else { return false }
        return lookupInfo == other.lookupInfo
    }
}
