/// Fetches records that match a query, one page at a time.
///
/// The blocks for single records come one at a time, in the order of the query, all before the result
/// blocks, which come exactly once, also after a failure or a cancellation. The query can be used again, the
/// operation cannot. Records come with their files, unless ``desiredKeys`` leaves them out; see ``CKAsset``.
///
/// ```swift
/// let operation = CKQueryOperation(query: query)
/// operation.resultsLimit = 15
/// operation.recordFetchedBlock = { players.append($0) }
/// operation.queryCompletionBlock = { cursor, error in … }
/// database.add(operation)
/// ```
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where the next page of a query begins.
    public typealias Cursor = CKQueryCursor

    /// The limit that lets the service choose how many records a page has.
    public static let maximumResults = 0

    private var ownQuery: CKQuery?
    /// The query: a copy of what is set, so the same query can be changed for another operation; nil where the operation
    /// goes on from a cursor.
    open var query: CKQuery? {
        get { ownQuery }
        set { ownQuery = newValue?.ownCopy }
    }
    /// Where to go on; nil for the first page.
    open var cursor: Cursor?
    /// The zone; nil stands for the default zone. With a cursor the zone comes from the cursor.
    open var zoneID: CKRecordZone.ID?
    /// The fields wanted; nil for all.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// The most records wanted; a larger number than the service gives at once takes several requests.
    open var resultsLimit = CKQueryOperation.maximumResults

    /// Called with each record, or with why it could not be had.
    open var recordMatchedBlock:
        ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called once at the end with the place of the next page, nil where nothing is left.
    open var queryResultBlock: ((_ operationResult: Result<Cursor?, any Error>) -> Void)?
    /// Called with each record; the older form of ``recordMatchedBlock``.
    open var recordFetchedBlock: ((CKRecord) -> Void)?
    /// Called once at the end; the older form of ``queryResultBlock``.
    open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

    /// Makes an operation without a query, to be set before it is added.
    override public init() {}

    /// Makes an operation for a query's first page.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// Makes an operation for the page that a cursor points at.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func work() async {
        do {
            let next = try await fetch()
            queryResultBlock?(.success(next))
            queryCompletionBlock?(next, nil)
        } catch {
            queryResultBlock?(.failure(error))
            queryCompletionBlock?(nil, error)
        }
    }

    private func fetch() async throws(CKError) -> Cursor? {
        let database = target
        return try await database.run(walk(in: database), options: requestOptions) { id, result in
            recordMatchedBlock?(id, result)
            if case .success(let record) = result { recordFetchedBlock?(record) }
        }
    }

    private func walk(in database: CKDatabase) throws(CKError) -> QueryWalk {
        if let cursor { return QueryWalk(cursor, desiredKeys: desiredKeys, limit: resultsLimit) }
        guard let query else {
            throw CKError(
                .invalidArguments, "The query operation has neither a query nor a cursor.",
                remedy: "Set one of the two before the operation is added.")
        }
        return try QueryWalk(
            query, in: zoneID, desiredKeys: desiredKeys, limit: resultsLimit, of: database)
    }
}
