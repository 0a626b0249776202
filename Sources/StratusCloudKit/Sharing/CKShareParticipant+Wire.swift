internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKShareParticipant {
    /// The participant that an answer gives.
    convenience init(_ wire: ParticipantDictionary) {
        self.init(
            userIdentity: CKUserIdentity(wire), participantID: wire.participantID ?? UUID().uuidString,
            role: CKShare.ParticipantRole(wire.role),
            permission: wire.permission.map { CKShare.ParticipantPermission($0) } ?? .unknown,
            acceptanceStatus: CKShare.ParticipantAcceptanceStatus(wire.status),
            isApprovedRequester: wire.isApprovedRequester,
            dateAddedToShare: wire.addedAt.map(Date.init(milliseconds:)))
    }

    /// The participant as requests name it. One who was just added is invited.
    var wire: ParticipantDictionary {
        let user = userIdentity.userRecordID?.recordName
        return ParticipantDictionary(
            participantID: participantID, role: role.wire, status: acceptanceStatus.wire,
            permission: permission.wire, userRecordName: user == CKCurrentUserDefaultName ? nil : user,
            lookup: userIdentity.lookupInfo?.wire)
    }
}

extension CKUserIdentity {
    /// Who a participant is, or somebody who asks to be one.
    convenience init(_ wire: ParticipantDictionary) {
        var name: PersonNameComponents?
        if wire.givenName != nil || wire.familyName != nil {
            name = PersonNameComponents()
            name?.givenName = wire.givenName
            name?.familyName = wire.familyName
        } else if wire.userRecordName == nil, wire.lookup == nil {
            // Whoever opens a one-time address has no name yet, rather than one that is kept secret.
            name = PersonNameComponents()
        }
        self.init(
            userRecordID: wire.userRecordName.map { CKRecord.ID(recordName: $0) },
            lookupInfo: wire.lookup.flatMap(LookupInfo.init(wire:)), nameComponents: name,
            hasiCloudAccount: wire.userRecordName != nil)
    }
}

extension CKUserIdentity.LookupInfo {
    /// The lookup that an answer names; nil where it names none.
    convenience init?(wire: UserLookup) {
        if let address = wire.emailAddress {
            self.init(emailAddress: address)
        } else if let number = wire.phoneNumber {
            self.init(phoneNumber: number)
        } else if let name = wire.userRecordName {
            self.init(userRecordID: CKRecord.ID(recordName: name))
        } else {
            return nil
        }
    }

    /// The lookup as requests name it.
    var wire: UserLookup {
        UserLookup(
            emailAddress: emailAddress, phoneNumber: phoneNumber, userRecordName: userRecordID?.recordName)
    }
}

extension CKShare.ParticipantRole {
    init(_ wire: ParticipantDictionary.Role) {
        self =
            switch wire {
            case .owner: .owner
            case .administrator: .administrator
            case .user: .privateUser
            case .publicUser: .publicUser
            case .unknown: .unknown
            }
    }

    fileprivate var wire: ParticipantDictionary.Role {
        switch self {
        case .owner: .owner
        case .administrator: .administrator
        case .privateUser: .user
        case .publicUser: .publicUser
        case .unknown: .unknown
        }
    }
}

extension CKShare.ParticipantAcceptanceStatus {
    /// Who left is removed, as who was removed: CloudKit's own clients have one word for both.
    init(_ wire: ParticipantDictionary.Status) {
        self =
            switch wire {
            case .invited: .pending
            case .accepted: .accepted
            case .removed, .unsubscribed: .removed
            case .unknown: .unknown
            }
    }

    fileprivate var wire: ParticipantDictionary.Status {
        switch self {
        case .unknown, .pending: .invited
        case .accepted: .accepted
        case .removed: .removed
        }
    }
}

extension CKShare.ParticipantPermission {
    init(_ wire: SharePermission) {
        self =
            switch wire {
            case .none: .none
            case .readOnly: .readOnly
            case .readWrite: .readWrite
            case .unknown: .unknown
            }
    }

    /// Nil for what is not known, of which a request says nothing.
    var wire: SharePermission? {
        switch self {
        case .unknown: nil
        case .none: SharePermission.none
        case .readOnly: .readOnly
        case .readWrite: .readWrite
        }
    }
}
