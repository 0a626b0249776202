public import Foundation

extension CKUserIdentity {
    /// What a user is looked up by.
    public typealias LookupInfo = CKUserIdentityLookupInfo
}

/// What a user is looked up by: an email address, a phone number or a user record. Write it as
/// `CKUserIdentity.LookupInfo`.
///
/// A value without parts that change; two are equal when what they look for is.
///
/// Sendable is unchecked because the class is open, as Apple's is; what it holds itself never changes.
open class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The email address that is looked for; nil where something else is.
    public let emailAddress: String?
    /// The phone number that is looked for; nil where something else is.
    public let phoneNumber: String?
    /// The user record that is looked for; nil where something else is.
    public let userRecordID: CKRecord.ID?

    /// Looks for the user with an email address.
    public init(emailAddress: String) {
        self.emailAddress = emailAddress
        phoneNumber = nil
        userRecordID = nil
    }

    /// Looks for the user with a phone number.
    public init(phoneNumber: String) {
        emailAddress = nil
        self.phoneNumber = phoneNumber
        userRecordID = nil
    }

    /// Looks for the user with a record.
    public init(userRecordID: CKRecord.ID) {
        emailAddress = nil
        phoneNumber = nil
        self.userRecordID = userRecordID
    }

    /// Reads a value from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        emailAddress = coder.safeText(forKey: "EmailAddress")
        phoneNumber = coder.safeText(forKey: "PhoneNumber")
        userRecordID = coder.safeObject(of: CKRecordID.self, forKey: "UserRecordID")
    }

    /// Writes the value to an archive.
    open func encode(with coder: NSCoder) {
        if let emailAddress { coder.encode(NSString(string: emailAddress), forKey: "EmailAddress") }
        if let phoneNumber { coder.encode(NSString(string: phoneNumber), forKey: "PhoneNumber") }
        if let userRecordID { coder.encode(userRecordID, forKey: "UserRecordID") }
    }

    /// One lookup for each email address.
    open class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
        emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
    }

    /// One lookup for each phone number.
    open class func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [CKUserIdentity.LookupInfo] {
        phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
    }

    /// One lookup for each user record.
    open class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentity.LookupInfo] {
        recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentityLookupInfo else { return false }
        return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
            && userRecordID == other.userRecordID
    }

    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(emailAddress)
        hasher.combine(phoneNumber)
        hasher.combine(userRecordID)
        return hasher.finalize()
    }

    override open var description: String {
        emailAddress ?? phoneNumber ?? userRecordID?.description ?? "nobody"
    }
}
