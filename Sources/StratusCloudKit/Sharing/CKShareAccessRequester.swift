public import Foundation

/// Somebody who was not invited and asks to take part. Write it as `CKShare.AccessRequester`.
///
/// Sendable is unchecked because the class is open, as Apple's is; what it holds itself never changes.
open class CKShareAccessRequester: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Who it is.
    open private(set) var userIdentity: CKUserIdentity

    /// What a participant is looked up by, to be let in.
    open var participantLookupInfo: CKUserIdentity.LookupInfo {
        userIdentity.lookupInfo
            ?? CKUserIdentity.LookupInfo(
                userRecordID: userIdentity.userRecordID ?? CKRecord.ID(recordName: ""))
    }

    /// What the service calls the request by; nil where it is called by its user alone.
    let requestID: String?
    /// What a decision about the request names; nil for nobody.
    var decisionID: String? { requestID ?? userIdentity.userRecordID?.recordName }

    init(userIdentity: CKUserIdentity, requestID: String? = nil) {
        self.userIdentity = userIdentity
        self.requestID = requestID
    }

    /// Reads a requester from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let identity = coder.safeObject(of: CKUserIdentity.self, forKey: "UserIdentity") else {
            return nil
        }
        userIdentity = identity
        requestID = coder.safeText(forKey: "RequestID")
    }

    /// Writes the requester to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(userIdentity, forKey: "UserIdentity")
        if let requestID { coder.encode(NSString(string: requestID), forKey: "RequestID") }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        (object as? CKShareAccessRequester)?.userIdentity == userIdentity
    }

    override open var hash: Int { userIdentity.hash }
}

/// Somebody who may not ask to take part. Write it as `CKShare.BlockedIdentity`.
///
/// Sendable is unchecked because the class is open, as Apple's is; what it holds itself never changes.
open class CKShareBlockedIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Who it is.
    open private(set) var userIdentity: CKUserIdentity

    /// What the service calls the block by; nil where it is called by its user alone.
    let requestID: String?
    /// What a decision about the block names; nil for nobody.
    var decisionID: String? { requestID ?? userIdentity.userRecordID?.recordName }

    init(userIdentity: CKUserIdentity, requestID: String? = nil) {
        self.userIdentity = userIdentity
        self.requestID = requestID
    }

    /// Reads an identity from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let identity = coder.safeObject(of: CKUserIdentity.self, forKey: "UserIdentity") else {
            return nil
        }
        userIdentity = identity
        requestID = coder.safeText(forKey: "RequestID")
    }

    /// Writes the identity to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(userIdentity, forKey: "UserIdentity")
        if let requestID { coder.encode(NSString(string: requestID), forKey: "RequestID") }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        (object as? CKShareBlockedIdentity)?.userIdentity == userIdentity
    }

    override open var hash: Int { userIdentity.hash }
}

extension CKShare {
    /// Somebody who asks to take part.
    public typealias AccessRequester = CKShareAccessRequester
    /// Somebody who may not ask.
    public typealias BlockedIdentity = CKShareBlockedIdentity
}
