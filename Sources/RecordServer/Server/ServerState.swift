import RecordStorage
import Synchronization

/// What the pages for operators need to know of the running server.
final class ServerState: Sendable {
    /// Where the server is in its life.
    enum Phase: Int {
        case starting, ready, draining
    }

    let store: any RecordStore
    let version: String
    let history: RequestHistory
    let metrics = ServerMetrics()
    let deadlines: RequestDeadlines
    let bodies: BodyBudget
    /// Large bodies that are being read and worked on.
    let work: ByteBudget
    let answers: OutgoingAnswers
    let pieces = LargePieces()
    let memory = MemoryReturn()
    let connections: ConnectionTable
    let streams: StreamPlaces
    let shares = RequestShares()
    let rates: RequestRates
    /// How many lines of the log were lost.
    let lostLogLines: @Sendable () -> Int
    let proxies: TrustedProxies
    let reports: ServerReports
    private let phase = Atomic<Int>(Phase.starting.rawValue)

    init(
        store: any RecordStore, version: String, history: RequestHistory = RequestHistory(),
        transfers: TransferLimits = .published, budgets: MemoryBudgets = .published,
        connections: ConnectionTable = ConnectionTable(), streams: StreamPlaces = StreamPlaces(),
        proxies: TrustedProxies = TrustedProxies(),
        rates: RateLimits = .published,
        lostLogLines: @escaping @Sendable () -> Int = { 0 }, reports: ServerReports = ServerReports()
    ) {
        self.rates = RequestRates(rates)
        self.reports = reports
        self.lostLogLines = lostLogLines
        self.connections = connections
        self.streams = streams
        self.proxies = proxies
        bodies = BodyBudget(capacity: budgets.bodies)
        work = ByteBudget(capacity: budgets.work)
        answers = OutgoingAnswers(capacity: budgets.answers)
        deadlines = RequestDeadlines(limits: transfers)
        self.store = store
        self.version = version
        self.history = history
    }

    func set(_ phase: Phase) { self.phase.store(phase.rawValue, ordering: .relaxed) }

    /// Why the server should not be sent requests; nil when it should.
    var unreadyReason: String? {
        switch Phase(rawValue: phase.load(ordering: .relaxed)) {
        case .draining: return "The server is stopping."
        case .starting, nil: return "The server is starting."
        case .ready: break
        }
        switch store.health {
        case .good:
            return answers.isRefusing || work.isRefusing
                ? "Requests are refused: there is no room for large answers or bodies. Clients leave very much unread, or send very much."
                : nil
        case .full:
            return "The disk is full: reads are served, and writes continue by themselves once there is room."
        case .readOnly(let reason): return reason
        case .closed: return "The store is closed."
        }
    }
}
