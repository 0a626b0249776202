// Only these two imports: what Apple's `import CloudKit` brings besides its own names has to come with ours.
import CloudKit
import Testing

/// Code in the manner of apps, with the imports that they have.
@Suite struct ImportTests {
    @Test("Importing CloudKit is enough for Foundation, its networking and its predicates")
    func foundation() throws {
        let query = CKQuery(
            recordType: "Player",
            predicate: NSPredicate(
                format: "score > %d AND joined < %@", 3, Date(timeIntervalSince1970: 0) as NSDate))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect((query.predicate as? NSCompoundPredicate)?.subpredicates.count == 2)
        let request = URLRequest(url: try #require(URL(string: "https://example.com")))
        #expect(request.httpMethod == "GET")
        #expect(URLSession.shared.configuration.timeoutIntervalForRequest > 0)
        #expect(try JSONEncoder().encode([UUID().uuidString]).isEmpty == false)
    }

    @Test("A configuration in a `let` is changed in place")
    func configurationClass() {
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .utility
        configuration.timeoutIntervalForRequest = 20
        let operation = CKModifyRecordsOperation(recordsToSave: [], recordIDsToDelete: nil)
        operation.configuration = configuration
        #expect(operation.configuration.qualityOfService == .utility)

        let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
        let options = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        options.previousServerChangeToken = nil
        options.desiredKeys = ["title"]
        let fetch = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone], configurationsByRecordZoneID: [zone: options])
        fetch.configurationsByRecordZoneID?[zone]?.resultsLimit = 5
        #expect(options.resultsLimit == 5)
    }

    /// Apple's operations can be subclassed.
    final class QuietQuery: CKQueryOperation, @unchecked Sendable {
        override func cancel() {
            recordMatchedBlock = nil
            super.cancel()
        }

        override var resultsLimit: Int {
            get { min(super.resultsLimit, 10) }
            set { super.resultsLimit = newValue }
        }
    }

    @Test("Operations have subclasses")
    func subclasses() {
        let operation = QuietQuery(query: CKQuery(recordType: "Player", predicate: NSPredicate(value: true)))
        operation.resultsLimit = 50
        operation.recordMatchedBlock = { _, _ in }
        operation.cancel()
        #expect(operation.resultsLimit == 10)
        #expect(operation.recordMatchedBlock == nil)
        #expect(operation.isCancelled)
    }

    @Test("A completion handler is @Sendable")
    func sendableHandlers() {
        typealias Handler = @Sendable (CKRecord?, (any Error)?) -> Void
        let fetch: (CKDatabase) -> (CKRecord.ID, @escaping Handler) -> Void = {
            $0.fetch(withRecordID:completionHandler:)
        }
        _ = fetch
        // A handler that is not @Sendable is refused by the compiler: see ForeignStyle's strict files.
        let save: (CKDatabase) -> (CKRecord, @escaping Handler) -> Void = { $0.save(_:completionHandler:) }
        _ = save
    }
}
