internal import Foundation
internal import RecordWire

extension CKShare {
    /// What a share has besides its fields.
    struct Terms: Sendable {
        var publicPermission = ParticipantPermission.none
        /// The owner is one of them.
        var participants: [Participant]
        var currentUserParticipantID: Participant.ID?
        var url: URL?
        var oneTimeURLs: [Participant.ID: URL] = [:]
        var allowsAccessRequests = false
        var requesters: [AccessRequester] = []
        var blockedIdentities: [BlockedIdentity] = []
        /// What was decided since the last fetch or save.
        var decisions = Decisions()
        /// The root record; nil for the share of a zone.
        var rootRecordID: CKRecord.ID?
        /// The version of the root record that a share from an archive goes with.
        var rootChangeTag: String?
        /// The settings as the service last had them; nil for a share that was never saved.
        var saved: Settings?

        /// What a share begins with: its owner, who is the user of the app, and nobody else.
        init(rootRecordID: CKRecord.ID?) {
            let owner = Participant(
                userIdentity: .currentUser, role: .owner, permission: .readWrite, acceptanceStatus: .accepted)
            participants = [owner]
            currentUserParticipantID = owner.participantID
            self.rootRecordID = rootRecordID
        }
    }

    /// What an app sets of a share, at one moment: participants change behind a reference.
    struct Settings: Hashable, Sendable {
        var publicPermission: ParticipantPermission
        var participants: [ParticipantDictionary]
        var allowsAccessRequests: Bool
    }

    /// What becomes of people who asked to take part, by what the service calls them.
    struct Decisions: Hashable, Sendable {
        var denied: [String] = []
        var blocked: [String] = []
        var unblocked: [String] = []
    }
}

extension CKShare.Terms {
    /// The settings as they are now.
    var settings: CKShare.Settings {
        CKShare.Settings(
            publicPermission: publicPermission, participants: participants.map(\.wire),
            allowsAccessRequests: allowsAccessRequests)
    }

    /// The terms as the service last had them, as the ancestor of a conflict.
    var ancestor: CKShare.Terms {
        var old = self
        old.decisions = CKShare.Decisions()
        guard let saved else { return old }
        old.publicPermission = saved.publicPermission
        old.participants = saved.participants.map(CKShare.Participant.init)
        old.allowsAccessRequests = saved.allowsAccessRequests
        return old
    }

    /// Adds a participant, or changes the one who is the same user.
    mutating func add(_ participant: CKShare.Participant) {
        guard let index = participants.firstIndex(where: { $0.isSame(as: participant) }) else {
            participants.append(participant)
            return
        }
        let known = participants[index]
        // The owner stays the owner, whatever the app sets.
        guard known.role != .owner, known !== participant else { return }
        if known.acceptanceStatus == .removed {
            // Who left or was removed is invited again.
            participants[index] = participant
        } else {
            known.role = participant.role
            known.permission = participant.permission
        }
    }

    /// Decides about somebody by taking back what was decided before the last save.
    mutating func decide(_ list: WritableKeyPath<CKShare.Decisions, [String]>, _ names: [String]) {
        for name in names {
            decisions.denied.removeAll { $0 == name }
            decisions.blocked.removeAll { $0 == name }
            decisions.unblocked.removeAll { $0 == name }
            decisions[keyPath: list].append(name)
        }
    }
}
