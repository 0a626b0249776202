public import Foundation

/// Saves and deletes records, with their files.
///
/// The files of new assets are sent first, a few at once, and the records after them. A record whose file cannot be
/// sent fails, the others are saved; see ``CKAsset``.
///
/// The blocks for single records come first, one at a time, the result blocks last and exactly once. More
/// records than one request takes are sent in several; what is atomic is one request, so an atomic batch of
/// a custom zone that is too large fails with `CKError.limitExceeded` before anything is sent.
///
/// A record that was saved carries its new version afterwards and can be changed and saved again.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What a save does when the service has another version of the record.
    public enum RecordSavePolicy: Int, Sendable {
        /// The save fails with `CKError.serverRecordChanged`.
        case ifServerRecordUnchanged = 0
        /// The keys that changed are saved, whatever the service has.
        case changedKeys = 1
        /// All keys are saved, whatever the service has; keys that only the service has stay.
        case allKeys = 2
    }

    /// The records to save.
    open var recordsToSave: [CKRecord]?
    /// The records to delete.
    open var recordIDsToDelete: [CKRecord.ID]?
    /// What a save does when the service has another version of the record.
    open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// Whether all records of a custom zone are saved and deleted, or none.
    open var isAtomic = true
    /// Data of the app that goes with the change; kept, but not sent.
    open var clientChangeTokenData: Data?

    /// Called with how much of a record's files went out, in steps, and with 1 when the record is saved.
    open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// Called with what became of each record to save.
    open var perRecordSaveBlock:
        ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
    /// Called with what became of each record to delete.
    open var perRecordDeleteBlock:
        ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole, or an atomic batch: then it is
    /// `CKError.partialFailure` with the error of each record.
    open var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with what became of each record to save; the older form of ``perRecordSaveBlock``.
    open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// Called once at the end; failures of single records come as `CKError.partialFailure`.
    open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    /// Makes an operation without records, to be set before it is added.
    override public init() {}

    /// Makes an operation for records to save and to delete.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func work() async {
        var tally = Tally()
        do throws(CKError) {
            let database = target
            let plan = try ModifyPlan(
                saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [], policy: savePolicy,
                isAtomic: isAtomic, in: database)
            try await database.run(plan, options: requestOptions) {
                perRecordProgressBlock?($0, $1)
            } onOutcome: { outcome in
                tally.note(outcome)
                report(outcome)
            }
            let failure = tally.failures.ofAtomicBatches(plan)
            modifyRecordsResultBlock?(failure.map { .failure($0) } ?? .success(()))
            modifyRecordsCompletionBlock?(tally.saved, tally.deleted, tally.failures.partialFailure)
        } catch {
            modifyRecordsResultBlock?(.failure(error))
            modifyRecordsCompletionBlock?(tally.saved, tally.deleted, error)
        }
    }

    private func report(_ outcome: CKDatabase.ModifyOutcome) {
        switch outcome {
        case .saved(let record, .success):
            perRecordProgressBlock?(record, 1)
            perRecordSaveBlock?(record.recordID, .success(record))
            perRecordCompletionBlock?(record, nil)
        case .saved(let record, .failure(let error)):
            perRecordSaveBlock?(record.recordID, .failure(error))
            perRecordCompletionBlock?(record, error)
        case .deleted(let recordID, let result): perRecordDeleteBlock?(recordID, result)
        }
    }

    private struct Tally {
        var saved: [CKRecord] = []
        var deleted: [CKRecord.ID] = []
        var failures = ModifyFailures()

        mutating func note(_ outcome: CKDatabase.ModifyOutcome) {
            failures.note(outcome)
            switch outcome {
            case .saved(let record, .success): saved.append(record)
            case .deleted(let recordID, .success): deleted.append(recordID)
            case .saved(_, .failure), .deleted(_, .failure): break
            }
        }
    }
}
