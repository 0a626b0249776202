public import Foundation
internal import Synchronization

/// Who may be let into a share by a screen that offers sharing.
public struct CKSharingParticipantAccessOption: OptionSet, Hashable, Sendable {
    /// One bit for each option.
    public let rawValue: UInt
    /// Makes options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Everybody who has the address.
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1)
    /// Those who are invited.
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}

/// What participants may be allowed to do by a screen that offers sharing.
public struct CKSharingParticipantPermissionOption: OptionSet, Hashable, Sendable {
    /// One bit for each option.
    public let rawValue: UInt
    /// Makes options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Read.
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1)
    /// Read and write.
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// What a screen that offers sharing may let the user choose.
///
/// There is no such screen of the system here; an app's own can look at it.
///
/// Sendable is unchecked because the class is open, as Apple's is; what changes is behind a mutex.
open class CKAllowedSharingOptions: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private struct State: Hashable, Sendable {
        var permission: CKSharingParticipantPermissionOption
        var access: CKSharingParticipantAccessOption
        var allowsInvitations = false
        var allowsAccessRequests = false
    }

    private let state: Mutex<State>

    /// The most that can be allowed: any permission, anybody.
    open class var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }

    /// Allows some permissions and some ways in.
    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) {
        state = Mutex(
            State(permission: allowedParticipantPermissionOptions, access: allowedParticipantAccessOptions))
    }

    private init(_ state: State) { self.state = Mutex(state) }

    /// What participants may be allowed to do.
    open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption {
        get { state.withLock { $0.permission } }
        set { state.withLock { $0.permission = newValue } }
    }

    /// Who may be let in.
    open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption {
        get { state.withLock { $0.access } }
        set { state.withLock { $0.access = newValue } }
    }

    /// Whether the user may let participants invite others; no unless set.
    open var allowsParticipantsToInviteOthers: Bool {
        get { state.withLock { $0.allowsInvitations } }
        set { state.withLock { $0.allowsInvitations = newValue } }
    }

    /// Whether the user may let strangers ask to take part; no unless set.
    open var allowsAccessRequests: Bool {
        get { state.withLock { $0.allowsAccessRequests } }
        set { state.withLock { $0.allowsAccessRequests = newValue } }
    }

    /// Reads options from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "Permission") else { return nil }
        func bits(_ key: String) -> UInt { UInt(truncatingIfNeeded: coder.safeInt64(forKey: key)) }
        state = Mutex(
            State(
                permission: .init(rawValue: bits("Permission")), access: .init(rawValue: bits("Access")),
                allowsInvitations: bits("Invitations") != 0, allowsAccessRequests: bits("Requests") != 0))
    }

    /// Writes the options to an archive.
    open func encode(with coder: NSCoder) {
        let state = state.withLock { $0 }
        coder.encode(Int64(truncatingIfNeeded: state.permission.rawValue), forKey: "Permission")
        coder.encode(Int64(truncatingIfNeeded: state.access.rawValue), forKey: "Access")
        coder.encode(Int64(state.allowsInvitations ? 1 : 0), forKey: "Invitations")
        coder.encode(Int64(state.allowsAccessRequests ? 1 : 0), forKey: "Requests")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The same options, whose changes are their own.
    open func copy(with zone: NSZone? = nil) -> Any { CKAllowedSharingOptions(state.withLock { $0 }) }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAllowedSharingOptions else { return false }
        return state.withLock { $0 } == other.state.withLock { $0 }
    }

    /// The same for all, since what it would be made of changes.
    override open var hash: Int { 0 }
}
