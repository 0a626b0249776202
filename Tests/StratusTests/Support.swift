import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import Synchronization

@testable import stratus

/// A console that keeps what is written.
final class MemoryConsole: Sendable {
    private let lines = Mutex<(output: String, error: String)>(("", ""))

    var output: String { lines.withLock { $0.output } }
    var error: String { lines.withLock { $0.error } }

    func console(width: Int = 80, isTerminal: Bool = false) -> Console {
        Console(
            isTerminal: isTerminal, isErrorTerminal: isTerminal, width: width,
            output: { text in self.lines.withLock { $0.output += text } },
            error: { text in self.lines.withLock { $0.error += text } })
    }
}

/// A service in the same process in the place of a server, which can be told to fail.
final class LocalTransport: RecordTransport {
    struct Fault: Error {}

    let store: SQLiteStore
    let service: RecordService
    private let faults: Mutex<[TransportAnswer?]>
    private let sent = Mutex(0)
    /// As if requests had signatures in the place of tokens.
    let signsRequests: Bool

    /// Opens a store in the directory and lets the demo's tokens in.
    init(directory: String, faults: [TransportAnswer?] = [], signsRequests: Bool = false) async throws {
        self.signsRequests = signsRequests
        store = try SQLiteStore(directory: directory)
        service = RecordService(
            store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)), environment: .system,
            assets: try FileAssetStore(directory: directory + "/" + AssetPaths.folderName))
        self.faults = Mutex(faults)
        try await DemoAccess.grant(in: store)
    }

    var requests: Int { sent.withLock { $0 } }

    /// The answers of the next requests; nil lets one through.
    func fail(_ answers: [TransportAnswer?]) { faults.withLock { $0 += answers } }

    func send(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> TransportAnswer {
        sent.withLock { $0 += 1 }
        let fault = faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let fault { return fault }
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: try DemoAccess.tenant(), scope: .public,
                credentials: Credentials(
                    apiToken: DemoAccess.apiToken, webAuthToken: DemoAccess.webAuthToken),
                body: body, requestID: "test"))
        return TransportAnswer(status: answer.status, body: answer.body)
    }

    func client() -> RemoteClient {
        RemoteClient(self, patience: .init(attempts: 3, firstWait: .milliseconds(1)))
    }

    func count(_ type: String, _ predicate: String? = nil) async throws -> Int {
        try await QueryPages(client()).count(
            RecordsQueryRequest(query: QueryDictionary(recordType: type, predicate: predicate)))
    }

    func records(_ type: String, _ predicate: String? = nil) async throws -> [RecordDictionary] {
        var found: [RecordDictionary] = []
        let request = RecordsQueryRequest(query: QueryDictionary(recordType: type, predicate: predicate))
        _ = try await QueryPages(client()).forEach(request, limit: nil) { page in
            for record in page.records { found.append(try RecordDictionary(json: record)) }
        }
        return found
    }
}
