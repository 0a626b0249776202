import Foundation
public import Logging
import RecordEngine
import RecordModel
import Synchronization

/// What the server remembers of its requests: the last ones, what they cost over time, and what was rejected.
///
/// All of it has a fixed size, and none of it holds up a request: remembering one is to add it to a short list, which one
/// request of some thirty puts into the memory for all. Whoever reads does so first. Requests that failed or were slow stand on shelves of their own, so that many good
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

    /// A request that was answered, and is not in the memory yet.
    fileprivate struct Arrival {
        var entry: RequestLog.Entry
        var texts: RequestTexts
        var length: Int
        var shelf: Int
    }

    private let state = Mutex(State())
    /// Taken for a moment, also by who has `state`; never the other way round.
    private let arrivals = Mutex<[Arrival]>([])
    /// How many follow new requests; raised before one is in the state, so that no request stays behind that came earlier.
    let followers = Atomic(0)
    /// How many requests are put into the memory at once.
    private static let arrivalsAtOnce = 32
    /// How many wait for it at most while somebody reads.
    private static let mostArrivals = 1_024
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
        guard entry.isOfClients || entry.status >= 400 || entry.method == "POST" && !entry.isLook else {
            return
        }
        let texts = RequestTexts(entry)
        let length = RequestRecord.length(entry, texts)
        let arrival = Arrival(
            entry: entry, texts: texts, length: length, shelf: Self.shelf(of: entry).rawValue)
        let waiting = arrivals.withLock { arrivals in
            arrivals.append(arrival)
            return arrivals.count
        }
        if waiting >= Self.mostArrivals || followers.load(ordering: .relaxed) > 0 {
            withState { _ in }
        } else if waiting >= Self.arrivalsAtOnce {
            // Whoever has it takes in more, or the next request does.
            _ = state.withLockIfAvailable { takeArrivals(into: &$0) }
        }
        if !entry.trace.gaps.isEmpty, let tenant = entry.tenant {
            rejectedWrites.note(
                entry.trace.gaps, of: tenant, time: entry.time, request: entry.uuid, user: entry.trace.user)
        }
    }

    /// Runs a closure on the memory with each request in it that was answered before.
    func withState<Value>(_ body: (inout State) -> sending Value) -> sending Value {
        state.withLock { state in
            takeArrivals(into: &state)
            return body(&state)
        }
    }

    private func takeArrivals(into state: inout State) {
        var taken: [Arrival] = []
        arrivals.withLock { swap(&$0, &taken) }
        // In place: an arrival is large, and a loop over values copies each.
        taken.withUnsafeBufferPointer { taken in
            for index in taken.indices { state.remember(taken[index]) }
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

extension RequestHistory.State {
    fileprivate mutating func remember(_ arrival: RequestHistory.Arrival) {
        sequence += 1
        shelves[arrival.shelf].append(sequence, length: arrival.length) {
            RequestRecord.write(arrival.entry, arrival.texts, to: $0)
        }
        if arrival.entry.isOfClients {
            let sample = RequestSeries.Sample(arrival.entry)
            series.record(sample)
            if let tenant = arrival.entry.tenant { tenants.record(sample, of: tenant) }
        }
        if !listeners.isEmpty { tell(arrival.shelf) }
    }
}

extension RequestSeries.Sample {
    init(_ entry: RequestLog.Entry) {
        self.init(
            time: entry.time, status: entry.status, route: entry.route, microseconds: entry.microseconds,
            bytesIn: UInt64(max(0, entry.bytesIn)), bytesOut: UInt64(max(0, entry.bytesOut)))
    }
}
