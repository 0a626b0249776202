public import Foundation
internal import Synchronization

/// The record that says with whom records are shared: a root record with all below it, or a whole zone.
///
/// ```swift
/// let share = CKShare(rootRecord: list)
/// share[CKShare.SystemFieldKey.title] = "Groceries"
/// share.publicPermission = .readOnly
/// ```
///
/// The service cannot store shares yet: saving one fails with `CKError.serverRejectedRequest`, which says which
/// version of the server will. As a value it is complete.
///
/// Sendable is unchecked as in ``CKRecord``: what changes is behind a mutex.
open class CKShare: CKRecord, @unchecked Sendable {
    /// What a share has besides its fields.
    struct Terms: Sendable {
        var publicPermission = ParticipantPermission.none
        /// The owner is one of them.
        var participants: [Participant]
        var currentUserParticipantID: Participant.ID?
        var url: URL?
        var oneTimeURLs: [Participant.ID: URL] = [:]
        var allowsAccessRequests = false
        /// The root record; nil for the share of a zone.
        var rootRecordID: CKRecord.ID?

        /// What a share begins with: its owner, who is the user of the app, and nobody else.
        init(rootRecordID: CKRecord.ID?) {
            let owner = Participant(
                userIdentity: .currentUser, role: .owner, permission: .readWrite, acceptanceStatus: .accepted)
            participants = [owner]
            currentUserParticipantID = owner.participantID
            self.rootRecordID = rootRecordID
        }
    }

    private let terms: Mutex<Terms>

    /// Makes the share of a record and all records below it; the two have to be saved together.
    public convenience init(rootRecord: CKRecord) {
        self.init(
            rootRecord: rootRecord,
            shareID: ID(recordName: "Share-" + UUID().uuidString, zoneID: rootRecord.recordID.zoneID))
    }

    /// Makes the share of a record and all records below it, with an ID in the zone of that record.
    ///
    /// The two have to be saved together. From now on ``CKRecord/share`` of the root record names the share.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        terms = Mutex(Terms(rootRecordID: rootRecord.recordID))
        super.init(recordType: CKRecordTypeShare, recordID: shareID)
        rootRecord.mutate { $0.share = CKReference(recordID: shareID, action: .none) }
    }

    /// Makes the share of a whole zone; a zone has one at most.
    public init(recordZoneID: CKRecordZone.ID) {
        terms = Mutex(Terms(rootRecordID: nil))
        super.init(
            recordType: CKRecordTypeShare,
            recordID: ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }

    init(recordID: CKRecord.ID, state: State, terms: Terms) {
        self.terms = Mutex(terms)
        super.init(recordType: CKRecordTypeShare, recordID: recordID, state: state)
    }

    /// Reads a share from an archive. See ``CKRecord/encodeSystemFields(with:)``.
    ///
    /// The original's initialiser cannot fail, so neither can this one: what the archive lacks is as in a new
    /// share, of which the user is the owner.
    public required init(coder: NSCoder) {
        terms = Mutex(Terms(coder: coder) ?? Terms(rootRecordID: nil))
        let recordID = coder.safeObject(of: CKRecordID.self, forKey: Archive.recordID) ?? ID()
        super.init(
            recordType: CKRecordTypeShare, recordID: recordID,
            state: CKRecord.decodeState(coder, zoneID: recordID.zoneID))
    }

    /// Writes what the service knows the share by: what ``CKRecord`` writes, the participants, the address and
    /// the permission.
    override open func encodeSystemFields(with coder: NSCoder) {
        super.encodeSystemFields(with: coder)
        currentTerms.encode(with: coder)
    }

    /// A share of the same ID, version, fields and participants, whose changes are its own.
    override open func copy(with zone: NSZone? = nil) -> Any {
        var copied = currentTerms
        copied.participants = copied.participants.map { $0.copy() as? Participant ?? $0 }
        return CKShare(recordID: recordID, state: snapshot, terms: copied)
    }

    /// The terms at one moment.
    var currentTerms: Terms { terms.withLock { $0 } }

    /// Changes the terms in one step.
    func changeTerms(_ change: (inout Terms) -> Void) { terms.withLock { change(&$0) } }

    /// What everybody may do who has the share's address.
    ///
    /// Participants can be added and removed only while it is `none`. When a share is saved with `none`, those
    /// who came by its address are removed.
    open var publicPermission: ParticipantPermission {
        get { currentTerms.publicPermission }
        set { changeTerms { $0.publicPermission = newValue } }
    }

    /// The address by which others take part; nil until the share was saved.
    ///
    /// It is bound to the root record: sharing that record again gives the same address.
    open var url: URL? { currentTerms.url }

    /// Those who take part, as far as the user may see them: at least the owner and the user.
    open var participants: [Participant] { currentTerms.participants }

    /// The participant whose records are shared.
    open var owner: Participant {
        let all = currentTerms.participants
        assert(all.contains { $0.role == .owner }, "A share has an owner.")
        return all.first { $0.role == .owner } ?? Participant(userIdentity: .currentUser, role: .owner)
    }

    /// The participant that the user of the app is; nil for nobody who takes part.
    open var currentUserParticipant: Participant? {
        let terms = currentTerms
        return terms.participants.first { $0.participantID == terms.currentUserParticipantID }
    }

    /// Adds a participant, or, where the user takes part already, gives that participant the role and the
    /// permission of this one.
    open func addParticipant(_ participant: Participant) {
        changeTerms { terms in
            guard let known = terms.participants.first(where: { $0.isSame(as: participant) }) else {
                terms.participants.append(participant)
                return
            }
            // The owner stays the owner, whatever the app sets.
            guard known.role != .owner else { return }
            known.role = participant.role
            known.permission = participant.permission
        }
    }

    /// Removes a participant; one who does not take part, or the owner, is left alone.
    open func removeParticipant(_ participant: Participant) {
        changeTerms { terms in
            terms.participants.removeAll { $0.role != .owner && $0.isSame(as: participant) }
        }
    }

    /// The address by which whoever opens it first becomes a participant; nil until the share was saved, and for
    /// participants who were not made by ``CKShareParticipant/oneTimeURLParticipant()``.
    open func oneTimeURL(for participantID: Participant.ID) -> URL? {
        currentTerms.oneTimeURLs[participantID]
    }

    /// Whether users who were not invited may ask to take part; no unless set.
    open var allowsAccessRequests: Bool {
        get { currentTerms.allowsAccessRequests }
        set { changeTerms { $0.allowsAccessRequests = newValue } }
    }

    /// Those who ask to take part; nobody until the service serves shares.
    open var requesters: [AccessRequester] { [] }

    /// Those who may not ask; nobody until the service serves shares.
    open var blockedIdentities: [BlockedIdentity] { [] }

    /// Keeps users from asking, and removes those who take part already.
    open func blockRequesters(_ requesters: [AccessRequester]) {
        let blocked = Set(requesters.map(\.userIdentity))
        changeTerms { $0.participants.removeAll { $0.role != .owner && blocked.contains($0.userIdentity) } }
    }

    /// FairQueue users away, who may ask again.
    open func denyRequesters(_ requesters: [AccessRequester]) {}

    /// Lets users ask again.
    open func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {}
}
