public import Foundation

extension CKShare {
    /// What somebody who has not accepted a share yet learns from its address.
    public typealias Metadata = CKShareMetadata
}

/// What somebody who has not accepted a share yet learns from its address. Write it as `CKShare.Metadata`.
///
/// A value without parts that change; an app gets it from the service by the address of the share:
///
/// ```swift
/// let metadata = try await container.shareMetadata(for: url)
/// if metadata.participantStatus == .pending { _ = try await container.accept(metadata) }
/// ```
///
/// Sendable is unchecked because the class is open, as Apple's is; what it holds itself never changes.
open class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The container that the share is in.
    public let containerIdentifier: String
    /// The share.
    public let share: CKShare
    /// The root record's ID; nil for the share of a zone.
    public let hierarchicalRootRecordID: CKRecord.ID?
    /// The root record, where it was asked for; nil for the share of a zone.
    public let rootRecord: CKRecord?
    /// Who shares.
    public let ownerIdentity: CKUserIdentity
    /// What the user who asked is in the share.
    public let participantRole: CKShare.ParticipantRole
    /// Whether the user who asked takes part.
    public let participantStatus: CKShare.ParticipantAcceptanceStatus
    /// What the user who asked may do.
    public let participantPermission: CKShare.ParticipantPermission

    /// The token of the address that led here, by which the share is accepted: a one-time address is not the share's own.
    let link: String

    /// Gathers what the service says about a share.
    ///
    /// - Parameters:
    ///   - rootRecordID: the record that is shared; nil for the share of a zone.
    ///   - role: what the user who asked is in the share; what follows is about that user too.
    init(
        containerIdentifier: String, link: String, share: CKShare, rootRecordID: CKRecord.ID?,
        rootRecord: CKRecord? = nil, role: CKShare.ParticipantRole,
        status: CKShare.ParticipantAcceptanceStatus,
        permission: CKShare.ParticipantPermission
    ) {
        self.containerIdentifier = containerIdentifier
        self.link = link
        self.share = share
        hierarchicalRootRecordID = rootRecordID
        self.rootRecord = rootRecord
        ownerIdentity = share.owner.userIdentity
        participantRole = role
        participantStatus = status
        participantPermission = permission
    }

    /// What the user who asked is in the share; the older form of ``participantRole``.
    @available(*, deprecated, message: "Use participantRole.")
    public var participantType: CKShare.ParticipantType {
        CKShare.ParticipantType(rawValue: participantRole.rawValue) ?? .privateUser
    }

    /// The root record's ID; the share's own for the share of a zone, which has no root.
    @available(*, deprecated, message: "Use hierarchicalRootRecordID.")
    public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

    /// Reads metadata from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let container = coder.safeText(forKey: "ContainerIdentifier"),
            let share = coder.safeObject(of: CKShare.self, forKey: "Share"),
            let owner = coder.safeObject(of: CKUserIdentity.self, forKey: "OwnerIdentity")
        else { return nil }
        containerIdentifier = container
        link = coder.safeText(forKey: "Link") ?? ""
        self.share = share
        ownerIdentity = owner
        hierarchicalRootRecordID = coder.safeObject(of: CKRecordID.self, forKey: "RootRecordID")
        rootRecord = coder.safeObject(of: CKRecord.self, forKey: "RootRecord")
        participantRole = coder.safeCase(forKey: "Role") ?? .unknown
        participantStatus = coder.safeCase(forKey: "Status") ?? .unknown
        participantPermission = coder.safeCase(forKey: "Permission") ?? .unknown
    }

    /// Writes the metadata to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: containerIdentifier), forKey: "ContainerIdentifier")
        coder.encode(NSString(string: link), forKey: "Link")
        coder.encode(share, forKey: "Share")
        coder.encode(ownerIdentity, forKey: "OwnerIdentity")
        if let hierarchicalRootRecordID { coder.encode(hierarchicalRootRecordID, forKey: "RootRecordID") }
        if let rootRecord { coder.encode(rootRecord, forKey: "RootRecord") }
        coder.encode(Int64(participantRole.rawValue), forKey: "Role")
        coder.encode(Int64(participantStatus.rawValue), forKey: "Status")
        coder.encode(Int64(participantPermission.rawValue), forKey: "Permission")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both say the same about the same share, to the same user.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareMetadata else { return false }
        return containerIdentifier == other.containerIdentifier && link == other.link
            && share.recordID == other.share.recordID
            && hierarchicalRootRecordID == other.hierarchicalRootRecordID
            && ownerIdentity == other.ownerIdentity && participantRole == other.participantRole
            && participantStatus == other.participantStatus
            && participantPermission == other.participantPermission
    }

    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(containerIdentifier)
        hasher.combine(share.recordID)
        return hasher.finalize()
    }

    override open var description: String {
        "CKShare.Metadata \(share.recordID) in \(containerIdentifier)"
    }
}
