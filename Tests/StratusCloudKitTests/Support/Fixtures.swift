import Foundation
import RecordModel
import Synchronization

@testable import StratusCloudKit

/// A container on a scripted service, with a clock that does not wait.
struct TestCloud {
    let transport: ScriptedTransport
    let container: CKContainer
    let clock: TestClock

    var database: CKDatabase { container.publicCloudDatabase }
    var privateDatabase: CKDatabase { container.privateCloudDatabase }

    init(
        _ transport: ScriptedTransport, webAuthToken: String? = "user+token/=", isStrict: Bool = false
    ) {
        self.transport = transport
        clock = TestClock()
        let client = ServiceClient(
            transport: transport, container: "iCloud.test", environment: .development, apiToken: "api",
            tokens: TokenStore(webAuthToken), clock: clock.clientClock)
        container = CKContainer(
            identifier: "iCloud.test", client: client, refusesWhatAppleRefuses: isStrict)
    }

    init(
        _ answers: ScriptedTransport.Answer..., webAuthToken: String? = "user+token/=", isStrict: Bool = false
    ) {
        self.init(ScriptedTransport(answers), webAuthToken: webAuthToken, isStrict: isStrict)
    }
}

/// A clock whose waits are over at once and are written down.
final class TestClock: Sendable {
    private let state = Mutex<(now: Double, waits: [Double])>((0, []))

    var waits: [Double] { state.withLock { $0.waits } }

    var clientClock: ClientClock {
        ClientClock(
            now: { self.state.withLock { $0.now } },
            sleep: { seconds in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.now += seconds
                    $0.waits.append(seconds)
                }
            })
    }
}

/// Notes what happens, in order, from any thread.
final class EventLog: Sendable {
    private let state = Mutex<[String]>([])

    var events: [String] { state.withLock { $0 } }

    func note(_ event: String) { state.withLock { $0.append(event) } }
}

/// The JSON of a record as the service answers it.
func recordJSON(_ name: String, type: String = "Player", tag: String = "1", fields: String = "") -> String {
    """
    {"recordName":"\(name)","recordType":"\(type)","recordChangeTag":"\(tag)","fields":{\(fields)},\
    "created":{"timestamp":1700000000000,"userRecordName":"_ann","deviceID":"2"},\
    "modified":{"timestamp":1700000001000,"userRecordName":"_bob","deviceID":"2"},"deleted":false}
    """
}

/// The JSON of a page of records named `names`.
func pageJSON(_ names: some Sequence<String>, marker: String? = nil) -> String {
    let records = names.map { recordJSON($0) }.joined(separator: ",")
    let continuation = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
    return #"{"records":[\#(records)]\#(continuation)}"#
}

/// Runs an operation in a database and waits until it and its completion block are over.
func run(_ operation: CKDatabaseOperation, in database: CKDatabase) async {
    await withCheckedContinuation { continuation in
        let previous = operation.completionBlock
        operation.completionBlock = {
            previous?()
            continuation.resume()
        }
        database.add(operation)
    }
}

/// The error that a piece of work throws, as a CloudKit error; nil where it throws none.
func cloudError(_ work: () async throws -> Void) async -> CKError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? CKError
    }
}

var alwaysTrue: NSPredicate { NSPredicate(value: true) }
