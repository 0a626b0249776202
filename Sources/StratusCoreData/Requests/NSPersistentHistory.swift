/// What a request for the history answers.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it was done.
    case statusOnly = 0
    /// The IDs of the changed objects.
    case objectIDs = 1
    /// The number of transactions or changes.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes without their transactions.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// What happened to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// It was made.
    case insert = 0
    /// It was changed.
    case update = 1
    /// It was deleted.
    case delete = 2
}

/// A position in the history of the stores of a coordinator, from which one reads on.
///
/// Unchecked sendable because the class is open, as Apple's is; what it holds itself never changes.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Codable, @unchecked Sendable {
    /// The number of the last transaction, for each store by its identifier.
    package let transactions: [String: Int64]

    /// A token for positions in several histories.
    package init(transactions: [String: Int64]) { self.transactions = transactions }

    /// Reads a token of JSON or of a property list.
    ///
    /// - Throws: `DecodingError` where the data holds no token.
    public required init(from decoder: any Decoder) throws {
        transactions = try decoder.container(keyedBy: CodingKeys.self).decode(
            [String: Int64].self, forKey: .transactions)
        super.init()
    }

    /// Reads an archived token; nil where the archive holds none.
    public required init?(coder: NSCoder) {
        guard
            let data = coder.decodeObject(of: NSData.self, forKey: CodingKeys.transactions.rawValue) as Data?,
            let stored = try? JSONDecoder().decode([String: Int64].self, from: data)
        else { return nil }
        transactions = stored
        super.init()
    }

    private enum CodingKeys: String, CodingKey { case transactions }

    /// Archives the token.
    open func encode(with coder: NSCoder) {
        let data = (try? JSONEncoder().encode(transactions)) ?? Data()
        coder.encode(data as NSData, forKey: CodingKeys.transactions.rawValue)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Itself: a token does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.transactions == transactions
    }

    public override var hash: Int { transactions.hashValue }

    public override var description: String { "NSPersistentHistoryToken \(transactions)" }
}

/// One save or batch request, as the history kept it.
open class NSPersistentHistoryTransaction: NSObject {
    /// When it was committed.
    open internal(set) var timestamp: Date
    /// What it changed; nil where only transactions were asked for.
    open package(set) var changes: [NSPersistentHistoryChange]?
    /// The number of the transaction, which grows.
    open internal(set) var transactionNumber: Int64
    /// The identifier of the store.
    open internal(set) var storeID: String
    /// The identifier of the app that made it.
    open internal(set) var bundleID: String
    /// The process that made it.
    open internal(set) var processID: String
    /// The name of the context that saved.
    open internal(set) var contextName: String?
    /// The context's author.
    open internal(set) var author: String?

    /// A transaction without its changes.
    package init(
        timestamp: Date, transactionNumber: Int64, storeID: String, bundleID: String, processID: String,
        contextName: String?, author: String?
    ) {
        self.timestamp = timestamp
        self.transactionNumber = transactionNumber
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
    }

    /// The entity that requests for transactions are about.
    open class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Transaction",
            [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                ("transactionNumber", .integer64AttributeType), ("token", .transformableAttributeType),
            ])
    }

    /// The entity that requests for transactions are about.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for transactions, to which a predicate can be given.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        NSFetchRequest<any NSFetchRequestResult>(entityName: "Transaction")
    }

    /// The position after this transaction.
    open var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken(transactions: [storeID: transactionNumber])
    }

    /// The notification that contexts can merge: IDs of inserted, updated and deleted objects.
    open func objectIDNotification() -> Notification {
        var sets: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] { sets[change.changeType, default: []].insert(change.changedObjectID) }
        return Notification(
            name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil,
            userInfo: [
                NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue: sets[.insert] ?? [],
                NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue: sets[.update] ?? [],
                NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue: sets[.delete] ?? [],
            ])
    }
}

/// What a transaction did to one object.
open class NSPersistentHistoryChange: NSObject {
    /// The number of the change, which grows.
    open internal(set) var changeID: Int64
    /// The object.
    open internal(set) var changedObjectID: NSManagedObjectID
    /// What happened to it.
    open internal(set) var changeType: NSPersistentHistoryChangeType
    /// For an update, the properties that changed.
    open internal(set) var updatedProperties: Set<NSPropertyDescription>?
    /// For a delete, the values of the attributes that are preserved.
    open internal(set) var tombstone: [AnyHashable: Any]?
    /// The transaction.
    open package(set) weak var transaction: NSPersistentHistoryTransaction?

    /// A change, which its transaction takes afterwards.
    package init(
        changeID: Int64, changedObjectID: NSManagedObjectID, changeType: NSPersistentHistoryChangeType,
        updatedProperties: Set<NSPropertyDescription>?, tombstone: [AnyHashable: Any]?
    ) {
        self.changeID = changeID
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }

    /// The entity that requests for changes are about.
    open class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Change",
            [
                ("changeID", .integer64AttributeType), ("changedObjectID", .objectIDAttributeType),
                ("changedEntity", .stringAttributeType), ("changeType", .integer16AttributeType),
            ])
    }

    /// The entity that requests for changes are about.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for changes, to which a predicate can be given.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        NSFetchRequest<any NSFetchRequestResult>(entityName: "Change")
    }
}

/// Asks for the history, or forgets a part of it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Which part of the history.
    package enum Span {
        case afterToken(NSPersistentHistoryToken?)
        case afterDate(Date)
        case matching(AnyFetchRequest)
    }

    /// Which part is meant.
    package let span: Span
    /// Whether that part is forgotten.
    package let deletes: Bool
    /// What is answered.
    open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
    /// Restricts the transactions or changes, on ``NSPersistentHistoryTransaction`` or
    /// ``NSPersistentHistoryChange``.
    open var fetchRequest: AnyFetchRequest?

    /// The token that the request was made with, or that of the transaction; nil for the others.
    open var token: NSPersistentHistoryToken? {
        if case .afterToken(let token) = span { token } else { nil }
    }

    init(span: Span, deletes: Bool) {
        self.span = span
        self.deletes = deletes
    }

    /// What happened since a token; nil asks for all.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterToken(token), deletes: false)
    }

    /// What happened since a point in time.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterDate(date), deletes: false)
    }

    /// What happened since a transaction.
    open class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterToken(transaction?.token), deletes: false)
    }

    /// What a request for transactions or changes finds.
    open class func fetchHistory(withFetch request: AnyFetchRequest) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .matching(request), deletes: false)
    }

    /// Forgets the transactions that are older than that of a token; nil forgets all.
    ///
    /// The token's own transaction stays, as Apple's "purges history older than that defined by a given token" says.
    open class func deleteHistory(before token: NSPersistentHistoryToken?)
        -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(span: .afterToken(token), deletes: true)
    }

    /// Forgets what happened before a point in time.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterDate(date), deletes: true)
    }

    /// Forgets the transactions that are older than a transaction, which itself stays; nil forgets all.
    ///
    /// Apple: "Purges history older than a given transaction."
    open class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterToken(transaction?.token), deletes: true)
    }
}

/// What a request for the history found.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// Transactions, changes, IDs, a number or a Boolean, by ``resultType``.
    open internal(set) var result: Any?
    /// What was asked for.
    open internal(set) var resultType: NSPersistentHistoryResultType

    /// An answer.
    package init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}
