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

/// A place in the history of the stores of a coordinator, from which one reads on.
public final class NSPersistentHistoryToken: NSObject, Sendable, Codable {
    /// The number of the last transaction, for each store by its identifier.
    let transactions: [String: Int64]

    init(transactions: [String: Int64]) { self.transactions = transactions }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.transactions == transactions
    }

    public override var hash: Int { transactions.hashValue }

    public override var description: String { "NSPersistentHistoryToken \(transactions)" }
}

/// One save or batch request, as the history kept it.
public final class NSPersistentHistoryTransaction: NSObject {
    /// When it was committed.
    public let timestamp: Date
    /// What it changed; nil where only transactions were asked for.
    public internal(set) var changes: [NSPersistentHistoryChange]?
    /// The number of the transaction, which grows.
    public let transactionNumber: Int64
    /// The identifier of the store.
    public let storeID: String
    /// The identifier of the app that made it.
    public let bundleID: String
    /// The process that made it.
    public let processID: String
    /// The name of the context that saved.
    public let contextName: String?
    /// The context's author.
    public let author: String?

    init(
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

    /// The place after this transaction.
    public var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken(transactions: [storeID: transactionNumber])
    }

    /// The notification that contexts can merge: IDs of inserted, updated and deleted objects.
    public func objectIDNotification() -> Notification {
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
public final class NSPersistentHistoryChange: NSObject {
    /// The number of the change, which grows.
    public let changeID: Int64
    /// The object.
    public let changedObjectID: NSManagedObjectID
    /// What happened to it.
    public let changeType: NSPersistentHistoryChangeType
    /// For an update, the properties that changed.
    public let updatedProperties: Set<NSPropertyDescription>?
    /// For a delete, the values of the attributes that are preserved.
    public let tombstone: [AnyHashable: Any]?
    /// The transaction.
    public internal(set) weak var transaction: NSPersistentHistoryTransaction?

    init(
        changeID: Int64, changedObjectID: NSManagedObjectID, changeType: NSPersistentHistoryChangeType,
        updatedProperties: Set<NSPropertyDescription>?, tombstone: [AnyHashable: Any]?
    ) {
        self.changeID = changeID
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}

/// Asks for the history, or forgets a part of it.
public final class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Which part of the history.
    enum Span {
        case afterToken(NSPersistentHistoryToken?)
        case afterDate(Date)
        case matching(AnyFetchRequest)
    }

    let span: Span
    let deletes: Bool
    /// What is answered.
    public var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
    /// Restricts the transactions or changes, on ``NSPersistentHistoryTransaction`` or
    /// ``NSPersistentHistoryChange``.
    public var fetchRequest: AnyFetchRequest?

    init(span: Span, deletes: Bool) {
        self.span = span
        self.deletes = deletes
    }

    /// What happened since a token; nil asks for all.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(span: .afterToken(token), deletes: false)
    }

    /// What happened since a point in time.
    public class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterDate(date), deletes: false)
    }

    /// What happened since a transaction.
    public class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterToken(transaction?.token), deletes: false)
    }

    /// What a request for transactions or changes finds.
    public class func fetchHistory(withFetch request: AnyFetchRequest) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .matching(request), deletes: false)
    }

    /// Forgets the transactions that are older than that of a token; nil forgets all.
    ///
    /// The token's own transaction stays, as Apple's "purges history older than that defined by a given token" says.
    public class func deleteHistory(before token: NSPersistentHistoryToken?)
        -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(span: .afterToken(token), deletes: true)
    }

    /// Forgets what happened before a point in time.
    public class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterDate(date), deletes: true)
    }

    /// Forgets the transactions that are older than a transaction, which itself stays; nil forgets all.
    ///
    /// Apple: "Purges history older than a given transaction."
    public class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(span: .afterToken(transaction?.token), deletes: true)
    }
}

/// What a request for the history found.
public final class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// Transactions, changes, IDs, a number or a Boolean, by ``resultType``.
    public let result: Any?
    /// What was asked for.
    public let resultType: NSPersistentHistoryResultType

    init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}
