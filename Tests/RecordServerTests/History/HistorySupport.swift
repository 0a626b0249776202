import Foundation
import Logging
import RecordEngine
import RecordModel
import RecordStorage
import Synchronization
import TestSupport

@testable import RecordServer

/// Requests as tests make them up.
enum SomeRequests {
    static let routes = ["records/query", "records/modify", "records/lookup", "changes/database", "assets"]
    static let users: [String?] = [nil, "_ada", "_grace", "_" + String(repeating: "e", count: 32)]
    static let statuses = [200, 200, 200, 200, 204, 304, 400, 401, 404, 409, 500, 503]

    static func tenant(_ container: String = "iCloud.test", _ environment: CloudEnvironment = .development)
        throws
        -> Tenant
    {
        Tenant(container: try ContainerID(container), environment: environment)
    }

    /// A good request; the body changes it.
    static func entry(
        time: Int64 = 1_000, status: Int = 200, route: String = "records/query",
        _ change: (inout RequestLog.Entry) -> Void = { _ in }
    ) -> RequestLog.Entry {
        var entry = RequestLog.Entry(id: RequestID.next(), method: "POST", time: time)
        entry.isOfClients = true
        entry.route = route
        entry.status = status
        change(&entry)
        return entry
    }

    static func random(time: Int64, _ random: inout Random) throws -> RequestLog.Entry {
        let container = random.pick(["iCloud.test", "iCloud.other"], else: "")
        let environment = random.pick(CloudEnvironment.allCases, else: .development)
        let tenant = random.oneIn(8) ? nil : try tenant(container, environment)
        let code = random.pick(ServiceError.Code.all, else: .badRequest)
        return entry(
            time: time, status: random.pick(statuses, else: 200), route: random.pick(routes, else: "")
        ) { entry in
            entry.tenant = tenant
            entry.scope = random.oneIn(3) ? nil : random.pick(DatabaseScope.allCases, else: .public)
            entry.duration = .microseconds(random.int(0...3_000_000) >> random.int(0...16))
            entry.bytesIn = random.int(0...10_000)
            entry.bytesOut = random.int(0...10_000)
            entry.trace.user = random.pick(users, else: nil)
            entry.trace.plan = random.pick([nil, .index, .scan], else: nil)
            entry.userAgent = random.oneIn(3) ? nil : random.text(["a", "é", "🙂"], 0...60)
            entry.trace.items = random.int(0...5)
            if entry.status >= 400 {
                let cause =
                    random.oneIn(2) ? StorageError.locked(path: random.text(["a", "ß"], 0...900)) : nil
                entry.trace.code = code
                entry.trace.error = ServiceError(code, "It failed.", remedy: "Try again.", cause: cause)
            } else if random.oneIn(10) {
                entry.trace.failedItems = 1
                entry.trace.itemFailures = [ItemFailure(name: "r", error: ServiceError(code, "No."))]
            }
        }
    }
}

/// A logger that keeps what it is told.
final class KeptLog: Sendable {
    private struct Handler: LogHandler {
        let log: KeptLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
}
