import CloudKit
import Foundation
import Testing

@Suite struct OperationQueueTests {
    private func operation(_ name: String, _ log: EventLog) -> CKQueryOperation {
        let operation = CKQueryOperation(query: CKQuery(recordType: name, predicate: alwaysTrue))
        operation.queryCompletionBlock = { _, _ in log.note(name) }
        return operation
    }

    private func emptyCloud() -> TestCloud {
        TestCloud(ScriptedTransport(fallback: { _ in .json(#"{"records":[]}"#) }))
    }

    /// Far longer than it takes, since other tests may keep every thread busy for a while.
    private func wait(until condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
        #expect(condition())
    }

    @Test("An operation added twice runs once")
    func runsOnce() async throws {
        let cloud = emptyCloud()
        let log = EventLog()
        let operation = operation("A", log)
        cloud.database.add(operation)
        cloud.database.add(operation)
        cloud.container.add(operation)
        try await wait { operation.isFinished }
        cloud.database.add(operation)
        operation.start()
        try await Task.sleep(for: .milliseconds(20))
        #expect(log.events == ["A"])
        #expect(cloud.transport.requests.count == 1)
    }

    @Test("A queue of the app's own runs operations by dependency and priority")
    func ownQueue() async throws {
        let cloud = emptyCloud()
        let log = EventLog()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let (low, high, last) = (operation("low", log), operation("high", log), operation("last", log))
        low.queuePriority = .veryLow
        high.queuePriority = .veryHigh
        last.queuePriority = .veryHigh
        last.addDependency(low)
        for operation in [last, low, high] {
            operation.database = cloud.database
            queue.addOperation(operation)
        }
        queue.isSuspended = false
        try await wait { queue.operationCount == 0 }
        #expect(log.events == ["high", "low", "last"])
    }

    @Test(
        "An operation that is cancelled while it waits in a queue gives its result and lets the queue go on")
    func cancelledInQueue() async throws {
        let cloud = emptyCloud()
        let log = EventLog()
        let queue = OperationQueue()
        queue.isSuspended = true
        let (first, second) = (operation("first", log), operation("second", log))
        second.addDependency(first)
        first.queryCompletionBlock = { _, error in
            log.note("first \((error as? CKError)?.code.rawValue ?? 0)")
        }
        for operation in [first, second] {
            operation.database = cloud.database
            queue.addOperation(operation)
        }
        first.cancel()
        queue.isSuspended = false
        try await wait { queue.operationCount == 0 }
        #expect(log.events == ["first 20", "second"])
        #expect(cloud.transport.requests.count == 1)
    }

    @Test("Waiting for an operation on a thread ends when it is over")
    func waitUntilFinished() async {
        let cloud = emptyCloud()
        let log = EventLog()
        let operation = operation("A", log)
        cloud.database.add(operation)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                operation.waitUntilFinished()
                continuation.resume()
            }
        }
        #expect(log.events == ["A"])
    }

    @Test("Without a database an operation means the private one of its container")
    func defaultDatabase() async throws {
        let cloud = emptyCloud()
        let operation = operation("A", EventLog())
        cloud.container.add(operation)
        try await wait { operation.isFinished }
        #expect(cloud.transport.requests.first?.path.contains("/private/") == true)
    }

    @Test("The request's timeout and network come from the operation, its group or the database")
    func configuration() async throws {
        let cloud = emptyCloud()
        let own = operation("own", EventLog())
        own.configuration.timeoutIntervalForRequest = 5
        own.configuration.allowsCellularAccess = false
        let grouped = operation("grouped", EventLog())
        let group = CKOperationGroup()
        group.defaultConfiguration.timeoutIntervalForRequest = 7
        grouped.group = group
        await run(own, in: cloud.database)
        await run(grouped, in: cloud.database)
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 9
        await cloud.database.configuredWith(configuration: configuration) { database in
            await run(operation("plain", EventLog()), in: database)
        }
        #expect(cloud.transport.requests.map(\.timeout) == [5, 7, 9])
        #expect(cloud.transport.requests.map(\.allowsCellularAccess) == [false, true, true])
    }

    @Test("What an operation sets wins over its group, also where it is the default")
    func configurationsCombine() async throws {
        let cloud = emptyCloud()
        let group = CKOperationGroup()
        group.defaultConfiguration.allowsCellularAccess = false
        group.defaultConfiguration.timeoutIntervalForRequest = 7
        let silent = operation("silent", EventLog())
        let explicit = operation("explicit", EventLog())
        explicit.configuration.allowsCellularAccess = true
        for operation in [silent, explicit] {
            operation.group = group
            await run(operation, in: cloud.database)
        }
        #expect(cloud.transport.requests.map(\.allowsCellularAccess) == [false, true])
        #expect(cloud.transport.requests.map(\.timeout) == [7, 7])
    }

    @Test("A configuration is an object that operations copy")
    func configurationsAreCopied() throws {
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .utility
        let operation = CKQueryOperation()
        operation.configuration = configuration
        configuration.qualityOfService = .background
        operation.configuration.isLongLived = true
        #expect(operation.configuration.qualityOfService == .utility)
        #expect(operation.configuration.isLongLived)
        #expect(!configuration.isLongLived)
        operation.configuration = nil
        #expect(operation.configuration.qualityOfService == .default)
    }
}
