public import RecordModel
import RecordStorage
import RecordWire

/// Runs a worker for each receiver that is reached by pushes, on the one node that has the job.
actor PushScheduler {
    private let service: RecordService
    private let transport: any PushTransport
    private let channels: PushChannels
    private let slots = WebhookSlots(Limits.pushDeliveries)
    private var workers: [[UInt8]: (row: ReceiverRow, task: Task<Void, Never>)] = [:]

    /// What the receivers were at the last whole look; nil where the next look has to be one.
    private var version: Int64?
    private var looks = 0

    private static let lookInterval = Duration.seconds(1)
    /// After how many looks at the version alone all receivers are read.
    private static let looksPerWhole = 60
    private static let portion = 500
    /// How long another node keeps the job after it was last heard of, in seconds.
    private static let job = StoreJob(name: "pushes", intervalSeconds: 0, leaseSeconds: 15)

    init(service: RecordService, transport: any PushTransport, channels: PushChannels) {
        self.service = service
        self.transport = transport
        self.channels = channels
    }

    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await service.run(Self.job) { try await self.work() }
            } catch {
                // The store may be away, or the lease was lost.
            }
            try? await Task.sleep(for: Self.lookInterval)
        }
    }

    private func work() async throws {
        do {
            while true {
                try Task.checkCancellation()
                try await look()
                try await Task.sleep(for: Self.lookInterval)
            }
        } catch {
            await endWorkers()
            throw error
        }
    }

    /// Ends all workers, and waits until they have noted how far they are: what was taken is sent again only where a push was under way.
    private func endWorkers() async {
        let ended = workers.values.map(\.task)
        workers = [:]
        version = nil
        for task in ended { task.cancel() }
        for task in ended { await task.value }
    }

    /// Starts workers for receivers that have none, and ends those whose receiver is gone or is another one.
    private func look() async throws {
        let found = try await service.store.read(.short) { try $0.pushReceiverVersion() }
        looks += 1
        guard found != version || looks >= Self.looksPerWhole else { return }
        // A worker that ends meanwhile asks for another look.
        version = found
        looks = 0
        do {
            try await lookAtAll()
        } catch {
            version = nil
            throw error
        }
    }

    private func lookAtAll() async throws {
        var seen: Set<[UInt8]> = []
        var last: [UInt8] = []
        while true {
            let after = last
            let rows = try await service.store.read(.short) {
                try $0.pushReceivers(after: after, limit: Self.portion)
            }
            for row in rows {
                seen.insert(row.digest)
                if let known = workers[row.digest] {
                    guard known.row.isOther(than: row) else { continue }
                    known.task.cancel()
                    await known.task.value
                }
                start(row)
            }
            guard rows.count == Self.portion, let end = rows.last else { break }
            last = end.digest
        }
        for (digest, worker) in workers where !seen.contains(digest) {
            worker.task.cancel()
            workers[digest] = nil
        }
    }

    private func start(_ row: ReceiverRow) {
        guard let channel = channels.channel(for: row.channel) else { return }
        let worker = PushWorker(
            service: service, transport: transport, slots: slots, channel: channel, row: row)
        let task = Task {
            do {
                try await worker.run()
                self.ended(row, isAtOnce: true)
            } catch {
                self.ended(row, isAtOnce: (error as? StorageError)?.isTemporary == true)
            }
        }
        workers[row.digest] = (row, task)
    }

    /// Forgets a worker, whose receiver gets another one at the next look.
    ///
    /// - Parameter isAtOnce: whether that is the one in a second, at which all receivers are read; what does not pass by
    ///   itself, a user who is shut out for example, waits for the next whole look.
    private func ended(_ row: ReceiverRow, isAtOnce: Bool) {
        // A successor has its own entry.
        guard let known = workers[row.digest], !known.row.isOther(than: row) else { return }
        workers[row.digest] = nil
        if isAtOnce { version = nil }
    }
}

extension ReceiverRow {
    /// Whether another worker has to serve the row.
    fileprivate func isOther(than row: ReceiverRow) -> Bool {
        user != row.user || tenant != row.tenant || definition != row.definition || createdAt != row.createdAt
            || pushEnvironment != row.pushEnvironment
    }
}

/// The ways in which pushes go.
struct PushChannels: Sendable {
    let webPush: WebPushChannel
    let apns: APNsChannel

    func channel(for channel: ReceiverRow.Channel) -> (any PushChannel)? {
        switch channel {
        case .webPush: webPush
        case .apns: apns
        case .courier: nil
        }
    }
}

extension RecordService {
    /// Sends pushes until the task is cancelled; those under way are given up then, and made again later.
    ///
    /// - Parameters:
    ///   - transport: what carries them.
    ///   - contact: the address by which the service is reached, for who runs a push service; nil where there is none.
    /// - Throws: `CryptoKitError` where no key can be made of the service's secret, which happens by a chance of one in 2^8192.
    public func runPushes(over transport: any PushTransport, contact: String?) async throws {
        let channels = try pushChannels(contact: contact)
        await PushScheduler(service: self, transport: transport, channels: channels).run()
    }

    func pushChannels(contact: String?) throws -> PushChannels {
        // Push services take addresses that mail or the web reaches.
        let contact = contact.flatMap { $0.hasPrefix("https://") ? $0 : nil }
        return PushChannels(
            webPush: WebPushChannel(
                identity: try VoluntaryIdentity(secret), environment: environment, contact: contact),
            apns: APNsChannel(store: store))
    }

    /// How many pushes were taken, and how many attempts failed, since the process began.
    public var pushDeliveries: (taken: Int, failed: Int) { pushCounts.current }

    /// How long the oldest push of this node has waited, in seconds; 0 where none waits.
    public var pushLagSeconds: Int64 { pushCounts.lag(at: environment.now()) / 1_000 }

    /// Sends a push that is about no change to a receiver, from this process.
    ///
    /// - Returns: whether it was taken, and the answer in words.
    /// - Throws: `NOT_FOUND`; `BAD_REQUEST` for a receiver that asks by itself; `CancellationError`.
    public func sendTestPush(
        to digest: [UInt8], of tenant: Tenant, over transport: any PushTransport
    ) async throws -> (isTaken: Bool, answer: String) {
        guard let row = try await store.read(.short, { try $0.receiver(digest: digest) }),
            row.tenant == tenant, row.endedAt == nil
        else { throw ServiceError(.notFound, "There is no such receiver.") }
        guard let channel = try pushChannels(contact: nil).channel(for: row.channel) else {
            throw ServiceError(.badRequest, "The receiver asks by itself; nothing is sent to it.")
        }
        let id = NotificationPlace(change: 0, subscription: 0).id
        let json = NotificationPayload(tenant: tenant, user: row.user, scope: .private, id: id).test()
        let (answer, verdict) = try await PushWorker.push(
            PushNotification(json: json, id: id), to: row, channel, transport, WebhookSlots(1), environment)
        return (verdict == .taken, answer.words)
    }
}
