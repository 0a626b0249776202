import Foundation
public import Logging
import RecordEngine
import RecordModel
import Synchronization

/// What the server remembers of its requests: the last ones, what they cost over time, and what was rejected.
///
/// All of it has a fixed size, and none of it holds up a request: remembering one is a lock and the copying of
/// some two hundred bytes. Requests that failed or were slow stand on shelves of their own, so that many good
/// ones do not push them out. With a file the memory outlives the process; see `save()`.
///
/// Requests of operators (pages, probes, the console) are remembered only when they fail or change something,
/// and are in no chart; of browsers' preflights nothing is remembered.
public final class RequestHistory: Sendable {
    /// Where a request is kept, so that the many do not push out the few.
    enum Shelf: Int, CaseIterable {
        /// What went well.
        case routine
        /// What was refused, failed in part or was slow.
        case notable
        /// What the service itself failed at.
        case failed
    }

    struct State {
        var sequence: UInt64 = 0
        var savedSequence: UInt64 = 0
        var shelves = Shelf.allCases.map { shelf in
            RequestRing(
                bytes: Limits.requestHistoryBytes >> shelf.rawValue, records: Limits.requestHistoryEntries)
        }
        var series = RequestSeries()
        var tenants = TenantSeries()
        var listeners: [UInt64: Listener] = [:]
        var nextListener: UInt64 = 0
    }

    let state = Mutex(State())
    /// What production's schemas lacked.
    public let rejectedWrites = RejectedWrites()
    /// Where the memory is kept while the process is gone; nil for nowhere.
    let path: String?
    let logger: Logger

    /// The name of the file in a data directory.
    public static let fileName = "stratus.history"

    /// Makes a memory, and fills it from the file that an earlier one left.
    ///
    /// A file that is damaged or of another version is logged and left out.
    ///
    /// - Parameters:
    ///   - directory: where the file is kept; nil keeps none.
    ///   - logger: where damage is logged.
    public init(directory: String? = nil, logger: Logger = Logger(label: "stratus.history")) {
        path = directory.map { $0 + "/" + Self.fileName }
        self.logger = logger
        load()
    }

    /// Remembers a request that was answered.
    func record(_ entry: RequestLog.Entry) {
        guard entry.isOfClients || entry.status >= 400 || entry.method == "POST" else { return }
        let texts = RequestTexts(entry)
        let length = RequestRecord.length(entry, texts)
        let shelf = Self.shelf(of: entry).rawValue
        state.withLock { state in
            state.sequence += 1
            state.shelves[shelf].append(state.sequence, length: length) {
                RequestRecord.write(entry, texts, to: $0)
            }
            if entry.isOfClients {
                let sample = RequestSeries.Sample(entry)
                state.series.record(sample)
                if let tenant = entry.tenant { state.tenants.record(sample, of: tenant) }
            }
            if !state.listeners.isEmpty { state.tell(shelf) }
        }
        if !entry.trace.gaps.isEmpty, let tenant = entry.tenant {
            rejectedWrites.note(
                entry.trace.gaps, of: tenant, time: entry.time, request: entry.uuid, user: entry.trace.user)
        }
    }

    private static func shelf(of entry: RequestLog.Entry) -> Shelf {
        if entry.status >= 500 { return .failed }
        // Whoever looks for addresses that are not there must not push out what failed.
        guard entry.isOfClients else { return .routine }
        let isSlow = entry.microseconds >= UInt64(Limits.slowRequestMilliseconds) * 1_000
        return entry.status >= 400 || entry.trace.failedItems > 0 || isSlow ? .notable : .routine
    }
}

extension RequestSeries.Sample {
    init(_ entry: RequestLog.Entry) {
        self.init(
            time: entry.time, status: entry.status, route: entry.route, microseconds: entry.microseconds,
            bytesIn: UInt64(max(0, entry.bytesIn)), bytesOut: UInt64(max(0, entry.bytesOut)))
    }
}
