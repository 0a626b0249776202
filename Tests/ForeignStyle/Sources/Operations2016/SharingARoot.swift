import CloudKit

/// A share for a record and what hangs below it.
func share(_ root: CKRecord, titled title: String) -> CKShare {
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = title as CKRecordValue
    share[CKShareTypeKey] = "com.example.note" as CKRecordValue
    share.publicPermission = .readOnly
    return share
}

func roles(of share: CKShare) -> [String] {
    share.participants.map { participant in
        switch (participant.role, participant.permission) {
        case (.owner, _): return "owner"
        case (_, .readWrite): return "writer"
        case (_, .readOnly): return "reader"
        default: return participant.acceptanceStatus == .pending ? "invited" : "other"
        }
    }
}
