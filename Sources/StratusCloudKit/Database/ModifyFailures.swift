/// The records that a modification could not save or delete, and why.
struct ModifyFailures {
    private var errors: [CKRecord.ID: any Error] = [:]

    /// Notes what became of a record.
    mutating func note(_ outcome: CKDatabase.ModifyOutcome) {
        switch outcome {
        case .saved(let record, .failure(let error)): errors[record.recordID] = error
        case .deleted(let recordID, .failure(let error)): errors[recordID] = error
        case .saved(_, .success), .deleted(_, .success): break
        }
    }

    /// All of them as one error; nil where there are none.
    var partialFailure: CKError? {
        if errors.isEmpty { return nil }
        return .partialFailure(Dictionary(uniqueKeysWithValues: errors.map { (AnyHashable($0), $1) }))
    }

    /// All of them as one error where one belongs to a batch that is done as a whole; nil where each counts by itself.
    func ofAtomicBatches(_ plan: ModifyPlan) -> CKError? {
        errors.keys.contains(where: plan.isAtomic) ? partialFailure : nil
    }
}
