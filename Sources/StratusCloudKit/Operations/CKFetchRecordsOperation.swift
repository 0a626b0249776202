internal import RecordModel
internal import RecordWire

/// Fetches records by their IDs, with their files; more than one request takes are fetched in several.
///
/// The files of assets among ``desiredKeys`` are downloaded before their record is handed on; see ``CKAsset``.
///
/// The blocks for single records come first, one at a time, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The records to fetch.
    open var recordIDs: [CKRecord.ID]?
    /// The fields wanted; nil for all.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// Called with how much of a record's files is here, in steps, and with 1 when the record is.
    open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// Called with each record, or with why it could not be had.
    open var perRecordResultBlock:
        ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each record or error; the older form of ``perRecordResultBlock``.
    open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// Called once at the end; failures of single records come as `CKError.partialFailure`.
    open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

    private var fetchesCurrentUser = false

    /// Makes an operation without IDs, to be set before it is added.
    override public init() {}

    /// Makes an operation for records.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// Makes an operation that fetches the record of the user who is signed in.
    open class func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.fetchesCurrentUser = true
        return operation
    }

    override func work() async {
        var records: [CKRecord.ID: CKRecord] = [:]
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            let database = target
            let recordIDs = try await wantedIDs(in: database)
            try await database.run(lookup: recordIDs, desiredKeys: desiredKeys, options: requestOptions) {
                perRecordProgressBlock?($0, $1)
            } onMatch: { id, result in
                switch result {
                case .success(let record): records[id] = record
                case .failure(let error): errors[id] = error
                }
                report(id, result)
            }
            fetchRecordsResultBlock?(.success(()))
            fetchRecordsCompletionBlock?(records, errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            fetchRecordsResultBlock?(.failure(error))
            fetchRecordsCompletionBlock?(records, error)
        }
    }

    private func wantedIDs(in database: CKDatabase) async throws(CKError) -> [CKRecord.ID] {
        guard fetchesCurrentUser else { return recordIDs ?? [] }
        let user: UserIdentityResponse = try await database.client.send(
            .usersCaller, in: .public, body: nil, options: requestOptions,
            as: UserIdentityResponse.self)
        return [CKRecord.ID(recordName: user.userRecordName)]
    }

    private func report(_ recordID: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
        switch result {
        case .success(let record):
            perRecordProgressBlock?(recordID, 1)
            perRecordResultBlock?(recordID, result)
            perRecordCompletionBlock?(record, recordID, nil)
        case .failure(let error):
            perRecordResultBlock?(recordID, result)
            perRecordCompletionBlock?(nil, recordID, error)
        }
    }
}
