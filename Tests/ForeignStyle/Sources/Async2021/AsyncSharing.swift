import CloudKit

/// Sharing of 2021: a whole zone, and the participants by address.
func shareZone(_ zoneID: CKRecordZone.ID, with address: String, in container: CKContainer) async throws
    -> CKShare
{
    let share = CKShare(recordZoneID: zoneID)
    share[CKShare.SystemFieldKey.title] = "Notes"
    share.publicPermission = .none
    let found = try await container.shareParticipants(forEmailAddresses: [address])
    if let participant = try found[address]?.get() {
        participant.permission = .readWrite
        share.addParticipant(participant)
    }
    return share
}

func isZoneWide(_ share: CKShare) -> Bool {
    share.recordID.recordName == CKRecordNameZoneWideShare
}

func accept(_ url: URL, in container: CKContainer) async throws -> CKShare {
    let metadata = try await container.shareMetadata(for: url)
    return try await container.accept(metadata)
}
