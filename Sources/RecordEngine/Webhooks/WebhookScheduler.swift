import RecordModel
import RecordStorage
import RecordWire
import Synchronization

/// How many deliveries, or pushes, were taken and how many attempts failed, since the process began.
final class WebhookCounts: Sendable {
    private let counts = Mutex((taken: 0, failed: 0))

    var current: (taken: Int, failed: Int) { counts.withLock { $0 } }

    /// Since when each hook of this node has something that was not taken, in milliseconds.
    private let waiting = Mutex<[String: Int64]>([:])

    /// Notes since when a hook has something that was not taken; nil where it has nothing.
    func note(waitingSince time: Int64?, of hook: String) { waiting.withLock { $0[hook] = time } }

    /// How long the oldest delivery has waited at a time, in milliseconds.
    func lag(at now: Int64) -> Int64 { waiting.withLock { $0.values.min() }.map { max(0, now - $0) } ?? 0 }

    func note(isTaken: Bool) {
        counts.withLock { if isTaken { $0.taken += 1 } else { $0.failed += 1 } }
    }
}

/// Runs a worker for each webhook that this node has, and lets others have the rest.
actor WebhookScheduler {
    private let service: RecordService
    private let transport: any WebhookTransport
    private let baseURL: String
    private let slots = WebhookSlots(Limits.webhookDeliveries)
    private var workers: [String: WebhookWorker] = [:]
    /// The hooks that something runs for, and when those are looked at again that another node had.
    private var busy: Set<String> = []
    private var lookAgain: [String: ContinuousClock.Instant] = [:]

    private static let lookInterval = Duration.seconds(1)
    /// How long another node keeps a hook after it was last heard of, in seconds.
    private static let leaseSeconds = 15
    private static let lookAgainInterval = Duration.seconds(5)

    init(service: RecordService, transport: any WebhookTransport, baseURL: String) {
        self.service = service
        self.transport = transport
        self.baseURL = baseURL
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            repeat {
                for row in await look() { group.addTask { await self.work(row.id) } }
            } while (try? await Task.sleep(for: Self.lookInterval)) != nil
            group.cancelAll()
        }
    }

    /// Tells workers what is stored, and gives the hooks that need one.
    private func look() async -> [WebhookRow] {
        // What cannot be read now is read at the next look.
        guard let rows = try? await service.store.read(.short, { try $0.webhooks() }) else { return [] }
        var free: [WebhookRow] = []
        let running = Set(
            rows.filter { row in
                // One that cannot be read is not delivered for; its page says so.
                (try? row.read())?.isPaused == false
            }.map(\.id))
        for row in rows where running.contains(row.id) {
            if let worker = workers[row.id] {
                if await !worker.update(row) { await stop(row.id) }
            } else if !busy.contains(row.id), lookAgain[row.id].map({ $0 <= .now }) ?? true {
                busy.insert(row.id)
                free.append(row)
            }
        }
        for id in workers.keys where !running.contains(id) { await stop(id) }
        return free
    }

    private func stop(_ id: String) async { await workers[id]?.end() }

    private func work(_ id: String) async {
        let job = StoreJob(name: "webhook \(id)", intervalSeconds: 0, leaseSeconds: Self.leaseSeconds)
        do {
            let isOurs = try await service.run(job) { try await self.deliver(id) }
            lookAgain[id] = isOurs ? nil : .now + Self.lookAgainInterval
        } catch {
            // The store may be away, or the lease was lost.
            lookAgain[id] = .now + Self.lookInterval
        }
        busy.remove(id)
    }

    private func deliver(_ id: String) async throws {
        let worker = try await WebhookWorker(
            id, service: service, transport: transport, slots: slots, baseURL: baseURL)
        workers[id] = worker
        defer {
            workers[id] = nil
            service.webhookCounts.note(waitingSince: nil, of: id)
        }
        try await worker.run()
    }
}

extension WebhookWorker {
    /// Has the worker stop after what it does now.
    func end() { receiver.end() }
}

extension RecordService {
    /// Delivers to webhooks until the task is cancelled; deliveries under way are given up then, and made again later.
    ///
    /// - Parameters:
    ///   - transport: what carries them.
    ///   - baseURL: the address by which receivers reach the service, for the addresses of files; nil where there is none.
    public func runWebhooks(over transport: any WebhookTransport, baseURL: String?) async {
        await WebhookScheduler(service: self, transport: transport, baseURL: baseURL ?? "").run()
    }

    /// How many deliveries webhooks took, and how many attempts failed, since the process began.
    public var webhookDeliveries: (taken: Int, failed: Int) { webhookCounts.current }

    /// How long the oldest delivery of this node's webhooks has waited, in seconds; 0 where none waits.
    public var webhookLagSeconds: Int64 { webhookCounts.lag(at: environment.now()) / 1_000 }
}
