public import Foundation
internal import Synchronization

extension CKShare {
    /// A user who takes part in a share.
    public typealias Participant = CKShareParticipant
}

/// A user who takes part in a share, or is invited to. Write it as `CKShare.Participant`.
///
/// An app gets participants from a share or from a lookup, sets what they may do, adds them to a share and saves
/// the share. Two participants are equal when all that they say is.
///
/// Sendable is unchecked because the class is open, as Apple's is; what changes is behind a mutex.
open class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    private struct State: Hashable, Sendable {
        var role: CKShare.ParticipantRole
        var permission: CKShare.ParticipantPermission
    }

    /// Who takes part.
    public let userIdentity: CKUserIdentity
    /// Whether the user took part.
    public let acceptanceStatus: CKShare.ParticipantAcceptanceStatus
    /// The participant's own name in the share.
    public let participantID: CKShare.Participant.ID
    /// Whether the participant asked to take part and was then added.
    public let isApprovedRequester: Bool
    /// When the participant was added; nil until the share was saved with the participant.
    public let dateAddedToShare: Date?
    private let state: Mutex<State>

    init(
        userIdentity: CKUserIdentity, participantID: CKShare.Participant.ID = UUID().uuidString,
        role: CKShare.ParticipantRole = .privateUser,
        permission: CKShare.ParticipantPermission = .readOnly,
        acceptanceStatus: CKShare.ParticipantAcceptanceStatus = .unknown, isApprovedRequester: Bool = false,
        dateAddedToShare: Date? = nil
    ) {
        self.userIdentity = userIdentity
        self.participantID = participantID
        self.acceptanceStatus = acceptanceStatus
        self.isApprovedRequester = isApprovedRequester
        self.dateAddedToShare = dateAddedToShare
        state = Mutex(State(role: role, permission: permission))
    }

    /// A participant who is not known yet: whoever first opens the address that the share has for it once it is saved
    /// (``CKShare/oneTimeURL(for:)``).
    ///
    /// ```swift
    /// let guest = CKShare.Participant.oneTimeURLParticipant()
    /// share.addParticipant(guest)
    /// try await database.save(share)
    /// invite(share.oneTimeURL(for: guest.participantID))
    /// ```
    public class func oneTimeURLParticipant() -> CKShare.Participant {
        CKShareParticipant(
            userIdentity: CKUserIdentity(
                userRecordID: nil, nameComponents: PersonNameComponents(), hasiCloudAccount: false),
            acceptanceStatus: .pending)
    }

    /// What the participant is in the share; a private user unless something else is set.
    public var role: CKShare.ParticipantRole {
        get { state.withLock { $0.role } }
        set { state.withLock { $0.role = newValue } }
    }

    /// What the participant may do; read unless something else is set.
    public var permission: CKShare.ParticipantPermission {
        get { state.withLock { $0.permission } }
        set { state.withLock { $0.permission = newValue } }
    }

    /// What the participant is in the share; the older form of ``role``.
    @available(*, deprecated, message: "Use role.")
    public var type: CKShare.ParticipantType {
        get { CKShare.ParticipantType(rawValue: role.rawValue) ?? .privateUser }
        set { role = CKShare.ParticipantRole(rawValue: newValue.rawValue) ?? .unknown }
    }

    /// Reads a participant from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let id = coder.safeText(forKey: "ParticipantID"),
            let identity = coder.safeObject(of: CKUserIdentity.self, forKey: "UserIdentity")
        else { return nil }
        participantID = id
        userIdentity = identity
        acceptanceStatus = coder.safeCase(forKey: "AcceptanceStatus") ?? .unknown
        isApprovedRequester = coder.safeInt64(forKey: "IsApprovedRequester") != 0
        dateAddedToShare = coder.safeDouble(forKey: "DateAddedToShare")
            .map(Date.init(timeIntervalSinceReferenceDate:))
        state = Mutex(
            State(
                role: coder.safeCase(forKey: "Role") ?? .unknown,
                permission: coder.safeCase(forKey: "Permission") ?? .unknown))
    }

    /// Writes the participant to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: participantID), forKey: "ParticipantID")
        coder.encode(userIdentity, forKey: "UserIdentity")
        coder.encode(Int64(acceptanceStatus.rawValue), forKey: "AcceptanceStatus")
        coder.encode(Int64(role.rawValue), forKey: "Role")
        coder.encode(Int64(permission.rawValue), forKey: "Permission")
        coder.encode(Int64(isApprovedRequester ? 1 : 0), forKey: "IsApprovedRequester")
        if let date = dateAddedToShare {
            coder.encode(date.timeIntervalSinceReferenceDate, forKey: "DateAddedToShare")
        }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A participant of the same name, whose changes are its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        CKShareParticipant(
            userIdentity: userIdentity, participantID: participantID, role: role, permission: permission,
            acceptanceStatus: acceptanceStatus, isApprovedRequester: isApprovedRequester,
            dateAddedToShare: dateAddedToShare)
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareParticipant else { return false }
        return participantID == other.participantID && userIdentity == other.userIdentity
            && acceptanceStatus == other.acceptanceStatus && role == other.role
            && permission == other.permission && isApprovedRequester == other.isApprovedRequester
            && dateAddedToShare == other.dateAddedToShare
    }

    /// Of the name alone, so that it stays while role and permission change.
    override open var hash: Int { participantID.hashValue }

    override open var description: String {
        "CKShare.Participant \(participantID) (\(role), \(permission), \(acceptanceStatus)): \(userIdentity)"
    }

    /// Whether the other one stands for the same user in a share.
    func isSame(as other: CKShareParticipant) -> Bool {
        participantID == other.participantID || userIdentity.isSameUser(as: other.userIdentity)
    }
}

extension NSCoder {
    /// The case whose number is under a key; nil where there is none.
    func safeCase<Case: RawRepresentable>(forKey key: String) -> Case? where Case.RawValue == Int {
        guard containsValue(forKey: key) else { return nil }
        return Case(rawValue: Int(truncatingIfNeeded: decodeInt64(forKey: key)))
    }
}
