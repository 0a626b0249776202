import CloudKit
import Foundation
import Synchronization
import Testing

@Suite struct QueryOperationTests {
    private let query = CKQuery(recordType: "Player", predicate: alwaysTrue)

    private func watch(_ operation: CKQueryOperation) -> EventLog {
        let log = EventLog()
        operation.recordMatchedBlock = { id, _ in log.note("matched \(id.recordName)") }
        operation.recordFetchedBlock = { log.note("fetched \($0.recordID.recordName)") }
        operation.queryResultBlock = { result in
            switch result {
            case .success(let cursor): log.note("result \(cursor == nil ? "end" : "cursor")")
            case .failure(let error): log.note("result \((error as? CKError)?.code.rawValue ?? -1)")
            }
        }
        operation.queryCompletionBlock = { cursor, error in
            log.note(
                "completion \(cursor == nil ? "-" : "cursor") \((error as? CKError)?.code.rawValue ?? 0)")
        }
        operation.completionBlock = { log.note("done") }
        return log
    }

    @Test("Blocks come in the order of the query, the result once, then the operation's own block")
    func order() async {
        let cloud = TestCloud(.json(pageJSON(["c", "a", "b"], marker: "m1")))
        let operation = CKQueryOperation(query: query)
        operation.desiredKeys = ["name"]
        operation.resultsLimit = 3
        let log = watch(operation)
        await run(operation, in: cloud.database)
        #expect(
            log.events == [
                "matched c", "fetched c", "matched a", "fetched a", "matched b", "fetched b",
                "result cursor", "completion cursor 0", "done",
            ])
        #expect(operation.isFinished && !operation.isExecuting)
        #expect(
            cloud.transport.bodies == [
                #"{"query":{"recordType":"Player"},"resultsLimit":3,"desiredKeys":["name"]}"#
            ])
        #expect(
            cloud.transport.requests[0].path == "/database/1/iCloud.test/development/public/records/query")
    }

    @Test("A failure gives one result and no records")
    func failure() async {
        let cloud = TestCloud(
            .json(
                #"{"uuid":"u1","serverErrorCode":"NOT_FOUND","reason":"did not find required record type"}"#,
                status: 404))
        let operation = CKQueryOperation(query: query)
        let log = watch(operation)
        await run(operation, in: cloud.database)
        #expect(log.events == ["result 11", "completion - 11", "done"])
    }

    @Test("An error in a record's place reaches only the block that takes results")
    func recordError() async {
        let cloud = TestCloud(
            .json(#"{"records":[{"recordName":"x","serverErrorCode":"ACCESS_DENIED"},\#(recordJSON("y"))]}"#))
        let operation = CKQueryOperation(query: query)
        let log = watch(operation)
        await run(operation, in: cloud.database)
        #expect(
            log.events == ["matched x", "matched y", "fetched y", "result end", "completion - 0", "done"])
    }

    @Test("Cancelling ends a request that waits, with one result")
    func cancelRunning() async throws {
        let cloud = TestCloud(.never)
        let operation = CKQueryOperation(query: query)
        let log = watch(operation)
        async let ended: Void = run(operation, in: cloud.database)
        while cloud.transport.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        operation.cancel()
        await ended
        #expect(log.events == ["result 20", "completion - 20", "done"])
    }

    @Test("An operation that was cancelled before it began still gives its result, and asks nothing")
    func cancelBefore() async {
        let cloud = TestCloud()
        let operation = CKQueryOperation(query: query)
        let log = watch(operation)
        operation.cancel()
        await run(operation, in: cloud.database)
        #expect(log.events == ["result 20", "completion - 20", "done"])
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("Records stop once the operation is cancelled from a block")
    func cancelFromBlock() async {
        let cloud = TestCloud(.json(pageJSON(["a", "b", "c"])))
        let operation = CKQueryOperation(query: query)
        let log = watch(operation)
        operation.recordFetchedBlock = { [unowned operation] record in
            log.note("fetched \(record.recordID.recordName)")
            operation.cancel()
        }
        await run(operation, in: cloud.database)
        #expect(log.events == ["matched a", "fetched a", "result 20", "completion - 20", "done"])
    }

    @Test("A query that is changed after it was handed over changes nothing of what was handed over")
    func queryIsCopied() async throws {
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in .json(pageJSON([])) }))
        let query = query
        let place = CLLocation(latitude: 47, longitude: 15)
        var operations: [CKQueryOperation] = []
        for key in ["a", "b", "c"] {
            query.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            if key == "b" {
                let operation = CKQueryOperation()
                operation.query = query
                operations.append(operation)
            } else {
                operations.append(CKQueryOperation(query: query))
            }
        }
        let sequence = cloud.database.recordSequence(matching: query)
        query.sortDescriptors = [CKLocationSortDescriptor(key: "place", relativeLocation: place)]
        for operation in operations { await run(operation, in: cloud.database) }
        for try await _ in sequence {}
        let fields = cloud.transport.bodies.map {
            $0.firstMatch(of: /"fieldName":"(\w+)"/).map { String($0.1) }
        }
        #expect(fields == ["a", "b", "c", "c"])
        #expect(operations[0].query !== query && operations[0].query?.sortDescriptors?.first?.key == "a")
    }

    @Test("Queries that are handed over with a handler are those of the call")
    func queriesOfHandlers() async throws {
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in .json(pageJSON([])) }))
        let query = query
        for key in ["a", "b"] {
            query.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                cloud.database.perform(query, inZoneWith: nil) { _, _ in done.resume() }
                query.sortDescriptors = nil
            }
            query.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                cloud.database.fetch(withQuery: query) { _ in done.resume() }
                query.sortDescriptors = nil
            }
        }
        let fields = cloud.transport.bodies.map {
            $0.firstMatch(of: /"fieldName":"(\w+)"/).map { String($0.1) }
        }
        #expect(fields == ["a", "a", "b", "b"])
    }

    @Test("A limit beyond a page is fetched in several requests, each for what is left")
    func pagesInternally() async {
        let names = (0..<450).map { "p\($0)" }
        let cloud = TestCloud(
            .json(pageJSON(names[..<200], marker: "m1")), .json(pageJSON(names[200..<390], marker: "m2")),
            .json(pageJSON(names[390..<430], marker: "m3")))
        let operation = CKQueryOperation(query: query)
        operation.resultsLimit = 430
        var fetched: [String] = []
        operation.recordFetchedBlock = { fetched.append($0.recordID.recordName) }
        var cursor: CKQueryOperation.Cursor?
        operation.queryCompletionBlock = { next, _ in cursor = next }
        await run(operation, in: cloud.database)
        #expect(fetched == Array(names[..<430]))
        #expect(cursor != nil)
        #expect(
            cloud.transport.bodies == [
                #"{"query":{"recordType":"Player"},"resultsLimit":200}"#,
                #"{"query":{"recordType":"Player"},"resultsLimit":200,"continuationMarker":"m1"}"#,
                #"{"query":{"recordType":"Player"},"resultsLimit":40,"continuationMarker":"m2"}"#,
            ])
    }

    @Test("A cursor repeats the query and its zone, also after it was archived")
    func cursor() async throws {
        let cloud = TestCloud(.json(pageJSON(["a"], marker: "m1")), .json(pageJSON(["b"])))
        let zone = CKRecordZone.ID(zoneName: "Teams")
        let first = CKQueryOperation(
            query: CKQuery(recordType: "Player", predicate: NSPredicate(format: "age > %d", 17)))
        first.zoneID = zone
        first.resultsLimit = 1
        var cursor: CKQueryOperation.Cursor?
        first.queryCompletionBlock = { next, _ in cursor = next }
        await run(first, in: cloud.privateDatabase)

        let data = try NSKeyedArchiver.archivedData(
            withRootObject: try #require(cursor), requiringSecureCoding: true)
        let kept = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data))
        #expect(kept == cursor)
        let second = CKQueryOperation(cursor: kept)
        var record: CKRecord?
        second.recordFetchedBlock = { record = $0 }
        await run(second, in: cloud.privateDatabase)
        #expect(record?.recordID.zoneID == zone)
        #expect(
            cloud.transport.bodies[1]
                == #"{"query":{"recordType":"Player","filterBy":[{"comparator":"GREATER_THAN","fieldName":"age","#
                + #""fieldValue":{"value":17,"type":"INT64"}}]},"zoneID":{"zoneName":"Teams"},"continuationMarker":"m1"}"#
        )
    }

    @Test("A predicate that cannot be sent is an error of the operation")
    func refusedPredicate() async {
        let cloud = TestCloud()
        let operation = CKQueryOperation(
            query: CKQuery(recordType: "Player", predicate: NSPredicate { _, _ in true }))
        let log = watch(operation)
        await run(operation, in: cloud.database)
        #expect(log.events == ["result 12", "completion - 12", "done"])
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("An operation without a query is an error, not a crash")
    func emptyOperation() async {
        let cloud = TestCloud()
        let operation = CKQueryOperation()
        let log = watch(operation)
        await run(operation, in: cloud.database)
        #expect(log.events == ["result 12", "completion - 12", "done"])
    }
}
