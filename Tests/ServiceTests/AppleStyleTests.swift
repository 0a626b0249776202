import CloudKit
import CloudKitTesting
import Testing

/// Code in the manner of apps of several years, against the engine itself.
@Suite struct AppleStyleTests {
    /// Runs an operation to its end.
    private func finish(_ operation: CKDatabaseOperation, in database: CKDatabase) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            database.add(operation)
        }
    }

    @Test("Encrypted values come back as encrypted ones, and plain ones do not have their keys")
    func encryptedValues() async throws {
        try await withCloud(.engine) { container in
            let database = try await container("ann").privateCloudDatabase
            let record = CKRecord(recordType: "Diary", recordID: CKRecord.ID(recordName: "today"))
            record["title"] = "Sunday"
            record.encryptedValues["text"] = "nobody knows"
            record.encryptedValues["mood"] = 4
            try await database.save(record)
            record.encryptedValues["mood"] = 5
            try await database.save(record)
            let fetched = try await database.record(for: record.recordID)
            #expect(fetched.encryptedValues["text"] as? String == "nobody knows")
            #expect(fetched.encryptedValues["mood"] == 5)
            #expect(fetched["text"] == nil && fetched["title"] as? String == "Sunday")
            #expect(fetched.allKeys() == ["title"])
            #expect(fetched.encryptedValues.allKeys() == ["mood", "text"])
            #expect(fetched.encryptedValues.changedKeys().isEmpty)
            // Nothing can be asked of them.
            let query = CKQuery(recordType: "Diary", predicate: NSPredicate(format: "text == 'nobody knows'"))
            await #expect(throws: CKError.self) { try await database.records(matching: query) }
        }
    }

    @Test("The change operation of 2014 pages through a zone")
    func recordChanges() async throws {
        try await withCloud(.engine) { container in
            let database = try await container("ann").privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
            let names = ["a", "b", "c"]
            let records = names.map {
                CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0, zoneID: zone.zoneID))
            }
            _ = try await database.modifyRecords(saving: records, deleting: [])
            var token: CKServerChangeToken?
            var seen: [String] = []
            var isMore = true
            while isMore {
                let operation = CKFetchRecordChangesOperation(
                    recordZoneID: zone.zoneID, previousServerChangeToken: token)
                operation.resultsLimit = 2
                operation.recordChangedBlock = { seen.append($0.recordID.recordName) }
                operation.fetchRecordChangesCompletionBlock = { next, _, error in
                    #expect(error == nil)
                    token = next
                }
                await finish(operation, in: database)
                isMore = operation.moreComing
            }
            #expect(seen == names)
            try await database.deleteRecord(withID: records[0].recordID)
            var deleted: [CKRecord.ID] = []
            let operation = CKFetchRecordChangesOperation(
                recordZoneID: zone.zoneID, previousServerChangeToken: token)
            operation.recordWithIDWasDeletedBlock = { deleted.append($0) }
            await finish(operation, in: database)
            #expect(deleted == [records[0].recordID])
            var failure: (any Error)?
            let nowhere = CKFetchRecordChangesOperation()
            nowhere.fetchRecordChangesCompletionBlock = { failure = $2 }
            await finish(nowhere, in: database)
            #expect((failure as? CKError)?.code == .invalidArguments)
        }
    }

    @Test("A web auth token is given to those who are signed in")
    func webAuthToken() async throws {
        try await withCloud(.engine) { container in
            let ann = try await container("ann")
            var token: String?
            let operation = CKFetchWebAuthTokenOperation(apiToken: "an API token")
            operation.fetchWebAuthTokenCompletionBlock = { text, _ in token = text }
            await finish(operation, in: ann.privateCloudDatabase)
            #expect(token == ann.webAuthToken && token != nil)

            var code: CKError.Code?
            let refused = CKFetchWebAuthTokenOperation(apiToken: "an API token")
            refused.fetchWebAuthTokenResultBlock = { result in
                if case .failure(let error) = result { code = (error as? CKError)?.code }
            }
            await finish(refused, in: try await container(nil).publicCloudDatabase)
            #expect(code == .notAuthenticated)
        }
    }

    @Test("A configured container is the same user's, and there are no operations of earlier launches")
    func containers() async throws {
        try await withCloud(.engine) { container in
            let ann = try await container("ann")
            let configuration = CKOperation.Configuration()
            configuration.timeoutIntervalForRequest = 5
            let user = try await ann.configuredWith(configuration: configuration) {
                try await $0.userRecordID()
            }
            #expect(try await ann.userRecordID() == user)
            let name = ann.configuredWith(group: CKOperationGroup()) { $0.containerIdentifier }
            #expect(name == ann.containerIdentifier)
            #expect(try await ann.allLongLivedOperationIDs().isEmpty)
            let kept: CKOperation? = try await withCheckedThrowingContinuation { continuation in
                ann.fetchLongLivedOperation(withID: "x") { operation, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: operation)
                    }
                }
            }
            #expect(kept == nil)
        }
    }

    @Test("An asset whose record waited in an archive is uploaded with it")
    func archivedAsset() async throws {
        try await withCloud(.engine) { container in
            let database = try await container("ann").privateCloudDatabase
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data("photo".utf8).write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let record = CKRecord(recordType: "Note")
            record["photo"] = CKAsset(fileURL: url)
            let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
            let queued = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
            try await database.save(queued)
            let fetched = try await database.record(for: record.recordID)
            let asset = try #require(fetched["photo"] as? CKAsset)
            #expect(try Data(contentsOf: #require(asset.fileURL)) == Data("photo".utf8))
        }
    }
}
