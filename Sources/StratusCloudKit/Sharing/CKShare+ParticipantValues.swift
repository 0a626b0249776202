extension CKShare {
    /// Whether a participant took part in a share.
    public enum ParticipantAcceptanceStatus: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// Invited, and has not answered.
        case pending = 1
        /// Takes part.
        case accepted = 2
        /// Took part, and was removed.
        case removed = 3
    }

    /// What a participant may do with the records of a share.
    public enum ParticipantPermission: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// Nothing.
        case none = 1
        /// Read.
        case readOnly = 2
        /// Read and write.
        case readWrite = 3
    }

    /// What a participant is in a share.
    public enum ParticipantRole: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// The user whose records are shared.
        case owner = 1
        /// A user who was invited and may invite and remove others.
        case administrator = 2
        /// A user who was invited.
        case privateUser = 3
        /// A user who came by the share's address.
        case publicUser = 4
    }

    /// What a participant is in a share; the older form of ``ParticipantRole``.
    @available(*, deprecated, message: "Use ParticipantRole.")
    public enum ParticipantType: Int, Hashable, Sendable {
        /// Not known.
        case unknown = 0
        /// The user whose records are shared.
        case owner = 1
        /// A user who was invited.
        case privateUser = 3
        /// A user who came by the share's address.
        case publicUser = 4
    }
}

extension CKShare.Participant {
    /// A participant's own name in a share.
    public typealias ID = String
    /// The older name.
    @available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
    public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
    /// The older name.
    @available(*, deprecated, renamed: "CKShare.ParticipantPermission")
    public typealias Permission = CKShare.ParticipantPermission
    /// The older name.
    @available(*, deprecated, renamed: "CKShare.ParticipantRole")
    public typealias Role = CKShare.ParticipantRole
    /// The older name.
    @available(*, deprecated, renamed: "CKShare.ParticipantType")
    public typealias ParticipantType = CKShare.ParticipantType
}

/// The older name.
@available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The older name.
@available(*, deprecated, renamed: "CKShare.ParticipantPermission")
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// The older name.
@available(*, deprecated, renamed: "CKShare.ParticipantRole")
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// The older name.
@available(*, deprecated, renamed: "CKShare.ParticipantType")
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType
