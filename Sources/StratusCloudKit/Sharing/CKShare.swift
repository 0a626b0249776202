public import Foundation
internal import Synchronization

/// The record that says with whom records are shared: a root record with all below it, or a whole zone.
///
/// ```swift
/// let share = CKShare(rootRecord: list)
/// share[CKShare.SystemFieldKey.title] = "Groceries"
/// share.addParticipant(try await container.shareParticipant(forEmailAddress: "ben@example.com"))
/// _ = try await database.modifyRecords(saving: [list, share], deleting: [])
/// send(share.url)
/// ```
///
/// Participants, permissions and decisions about requests take effect when the share is saved. Records are shared in custom
/// zones of the private database. Deleting the share ends the sharing and leaves the records; a participant who deletes it,
/// in the shared database, leaves.
///
/// Sendable is unchecked as in ``CKRecord``: what changes is behind a mutex.
open class CKShare: CKRecord, @unchecked Sendable {
    private let terms: Mutex<Terms>
    /// The root record that the share was made with, whose version a save has to name; nil for a share that was fetched.
    private let root: CKRecord?

    /// Makes the share of a record and all records below it; a new record has to be saved together with it.
    public convenience init(rootRecord: CKRecord) {
        self.init(
            rootRecord: rootRecord,
            shareID: ID(recordName: "Share-" + UUID().uuidString, zoneID: rootRecord.recordID.zoneID))
    }

    /// Makes the share of a record and all records below it, with an ID in the zone of that record.
    ///
    /// A new record has to be saved together with it. From now on ``CKRecord/share`` of the root record names the share.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        terms = Mutex(Terms(rootRecordID: rootRecord.recordID))
        root = rootRecord
        super.init(recordType: CKRecordTypeShare, recordID: shareID)
        rootRecord.mutate { state in
            state.share = CKReference(recordID: shareID, action: .none)
            state.isShareUnsaved = true
        }
    }

    /// Makes the share of a whole zone; a zone has one at most.
    public init(recordZoneID: CKRecordZone.ID) {
        terms = Mutex(Terms(rootRecordID: nil))
        root = nil
        super.init(
            recordType: CKRecordTypeShare,
            recordID: ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }

    init(recordID: CKRecord.ID, state: State, terms: Terms, root: CKRecord? = nil) {
        self.terms = Mutex(terms)
        self.root = root
        super.init(recordType: CKRecordTypeShare, recordID: recordID, state: state)
    }

    /// Reads a share from an archive. See ``CKRecord/encodeSystemFields(with:)``.
    ///
    /// The original's initialiser cannot fail, so neither can this one: what the archive lacks is as in a new
    /// share, of which the user is the owner.
    public required init(coder: NSCoder) {
        let recordID = coder.safeObject(of: CKRecordID.self, forKey: Archive.recordID) ?? ID()
        let state = CKRecord.decodeState(coder, zoneID: recordID.zoneID)
        var read = Terms(coder: coder) ?? Terms(rootRecordID: nil)
        // A save must not undo what an archive of another making does not know.
        if state.changeTag != nil, read.saved == nil { read.saved = read.settings }
        terms = Mutex(read)
        root = nil
        super.init(recordType: CKRecordTypeShare, recordID: recordID, state: state)
    }

    /// Writes what the service knows the share by: what ``CKRecord`` writes, the participants, the address and
    /// the permission.
    override open func encodeSystemFields(with coder: NSCoder) {
        super.encodeSystemFields(with: coder)
        var terms = currentTerms
        terms.rootChangeTag = rootChangeTag
        terms.encode(with: coder)
    }

    /// A share of the same ID, version, fields and participants, whose changes are its own.
    override open func copy(with zone: NSZone? = nil) -> Any {
        var copied = currentTerms
        copied.participants = copied.participants.map { $0.copy() as? Participant ?? $0 }
        return CKShare(recordID: recordID, state: snapshot, terms: copied, root: root)
    }

    /// The terms at one moment.
    var currentTerms: Terms { terms.withLock { $0 } }

    /// Changes the terms in one step.
    func changeTerms(_ change: (inout Terms) -> Void) { terms.withLock { change(&$0) } }

    /// The version of the root record that the share goes with; nil where it was never saved as far as is known.
    var rootChangeTag: String? { root?.recordChangeTag ?? currentTerms.rootChangeTag }

    /// Notes that the service has the share: from now on its answers say which share the root record has.
    func noteSaved() { root?.mutate { $0.isShareUnsaved = false } }

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
    /// permission of this one. Who left or was removed is invited again.
    open func addParticipant(_ participant: Participant) { changeTerms { $0.add(participant) } }

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

    /// Whether users who were not invited may ask to take part; no unless set. Where they may not, the service does not say
    /// to them that the share exists.
    open var allowsAccessRequests: Bool {
        get { currentTerms.allowsAccessRequests }
        set { changeTerms { $0.allowsAccessRequests = newValue } }
    }

    /// Those who ask to take part; only the owner and administrators see them.
    ///
    /// To let one in, look the user up and add the participant:
    ///
    /// ```swift
    /// for requester in share.requesters {
    ///     let found = CKFetchShareParticipantsOperation(
    ///         userIdentityLookupInfos: [requester.participantLookupInfo])
    ///     found.perShareParticipantResultBlock = { if let person = try? $1.get() { share.addParticipant(person) } }
    ///     …
    /// }
    /// ```
    open var requesters: [AccessRequester] { currentTerms.requesters }

    /// Those who may not ask; only the owner and administrators see them.
    open var blockedIdentities: [BlockedIdentity] { currentTerms.blockedIdentities }

    /// Turns requests down when the share is saved. The users may ask again.
    open func denyRequesters(_ requesters: [AccessRequester]) {
        changeTerms { terms in
            terms.requesters.removeAll(where: requesters.contains)
            terms.decide(\.denied, requesters.compactMap(\.decisionID))
        }
    }

    /// Keeps users from asking when the share is saved, and removes those who take part already.
    open func blockRequesters(_ requesters: [AccessRequester]) {
        changeTerms { terms in
            terms.requesters.removeAll(where: requesters.contains)
            terms.participants.removeAll { participant in
                participant.role != .owner
                    && requesters.contains { $0.userIdentity.isSameUser(as: participant.userIdentity) }
            }
            terms.decide(\.blocked, requesters.compactMap(\.decisionID))
        }
    }

    /// Lets users ask again when the share is saved.
    open func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
        changeTerms { terms in
            terms.blockedIdentities.removeAll(where: blockedIdentities.contains)
            terms.decide(\.unblocked, blockedIdentities.compactMap(\.decisionID))
        }
    }
}
