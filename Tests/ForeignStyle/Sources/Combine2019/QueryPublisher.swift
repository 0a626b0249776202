import CloudKit
import Combine

extension CKDatabase {
    /// The records of a query, one after the other.
    func publisher(for query: CKQuery) -> AnyPublisher<CKRecord, Error> {
        let subject = PassthroughSubject<CKRecord, Error>()
        let operation = CKQueryOperation(query: query)
        operation.recordFetchedBlock = { subject.send($0) }
        operation.queryCompletionBlock = { _, error in
            if let error = error {
                subject.send(completion: .failure(error))
            } else {
                subject.send(completion: .finished)
            }
        }
        return
            subject
            .handleEvents(
                receiveSubscription: { [self] _ in add(operation) }, receiveCancel: { operation.cancel() }
            )
            .eraseToAnyPublisher()
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
