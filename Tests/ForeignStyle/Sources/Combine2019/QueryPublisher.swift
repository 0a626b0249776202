import CloudKit
import Combine

extension CKDatabase {
    /// The records of a query, one after the other.
    func publisher(for query: CKQuery) -> AnyPublisher<CKRecord, Error> {
        QueryPublisher(database: self, query: query).eraseToAnyPublisher()
    }

    func save(_ record: CKRecord) -> Future<CKRecord, Error> {
        Future { promise in
            self.save(record) { saved, error in
                if let saved = saved {
                    promise(.success(saved))
                } else {
                    promise(.failure(error ?? CKError(.internalError)))
                }
            }
        }
    }
}

/// Asks when the first records are wanted, not when somebody subscribes: a subject would lose what comes in between.
private struct QueryPublisher: Publisher {
    typealias Output = CKRecord
    typealias Failure = Error

    let database: CKDatabase
    let query: CKQuery

    func receive<S: Subscriber>(subscriber: S) where S.Input == CKRecord, S.Failure == Error {
        subscriber.receive(subscription: QuerySubscription(subscriber, database: database, query: query))
    }
}

private final class QuerySubscription<S: Subscriber>: Subscription
where S.Input == CKRecord, S.Failure == Error {
    private let database: CKDatabase
    private let operation: CKQueryOperation
    private var isAsked = false

    init(_ subscriber: S, database: CKDatabase, query: CKQuery) {
        self.database = database
        operation = CKQueryOperation(query: query)
        operation.recordFetchedBlock = { _ = subscriber.receive($0) }
        operation.queryCompletionBlock = { _, error in
            subscriber.receive(completion: error.map { .failure($0) } ?? .finished)
        }
    }

    func request(_ demand: Subscribers.Demand) {
        guard !isAsked, demand > .none else { return }
        isAsked = true
        database.add(operation)
    }

    func cancel() {
        operation.cancel()
    }
}
