import NIOCore
import RecordModel
import Synchronization

/// How many connections there may be.
public struct ConnectionLimits: Sendable {
    /// The most at once.
    public var all: Int
    /// The most from one address.
    public var perAddress: Int
    /// The most from one network of IPv6 (/48).
    public var perNetwork: Int
    /// Whether those from this machine may be as many as they like, as a proxy beside the server needs it.
    public var trustsLoopback: Bool

    /// The limits that `/limits` publishes.
    public static let published = ConnectionLimits(
        all: Limits.connections, perAddress: Limits.connectionsPerAddress)

    /// Collects other limits, for a test that does not want to reach them.
    public init(
        all: Int, perAddress: Int, perNetwork: Int? = nil, trustsLoopback: Bool = true
    ) {
        self.all = all
        self.perAddress = perAddress
        self.perNetwork = perNetwork ?? Limits.connectionsPerNetwork
        self.trustsLoopback = trustsLoopback
    }
}

/// When a connection was used last, and whether it is used now.
final class ConnectionUse: Sendable {
    /// The system's time in nanoseconds; 0 while requests of it are unanswered.
    private let idleSince = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    /// Notes a request.
    func begin() { idleSince.store(0, ordering: .relaxed) }

    /// Notes that nothing is unanswered.
    func end() { idleSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    /// Since when the connection is idle; nil while it is not.
    var idle: UInt64? {
        let time = idleSince.load(ordering: .relaxed)
        return time == 0 ? nil : time
    }
}

/// The open connections. When there are too many, in all or from one address or network, those that were idle for longest make
/// room for new ones.
final class ConnectionTable: Sendable {
    private struct Connection {
        var channel: any Channel
        var use: ConnectionUse
        var address: ClientAddress?
    }

    private struct State {
        var next: UInt64 = 0
        var connections: [UInt64: Connection] = [:]
        var clients = ClientCounts()
        var closed = 0
    }

    private let capacity: Int
    private let share: Int
    private let networkShare: Int
    private let state = Mutex(State())

    /// So many parts of the connections are closed at once, since finding the oldest means looking at all.
    private static let parts = 64

    /// - Parameters:
    ///   - capacity: the most connections.
    ///   - share: the most of them from one address.
    ///   - networkShare: the most of them from one network.
    init(
        capacity: Int = Limits.connections, share: Int = Limits.connectionsPerAddress,
        networkShare: Int = Limits.connectionsPerNetwork
    ) {
        self.capacity = capacity
        self.share = share
        self.networkShare = networkShare
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.connections.count } }

    /// How many were closed to make room.
    var closedForRoom: Int { state.withLock { $0.closed } }

    /// Takes in a connection until it closes.
    ///
    /// - Parameter address: the client's; nil where several clients stand behind it.
    func add(_ channel: any Channel, from address: ClientAddress?) -> ConnectionUse {
        let use = ConnectionUse()
        let (number, leaving) = state.withLock { state in
            var leaving: [any Channel] = []
            if let address, state.clients[address] >= share {
                leaving += takeIdle(&state, upTo: max(1, share / Self.parts)) { $0.address == address }
                // A client whose connections are all busy gets no further one.
                if leaving.isEmpty { leaving.append(channel) }
            } else if let network = address?.network, state.clients[network] >= networkShare {
                leaving += takeIdle(&state, upTo: max(1, networkShare / Self.parts)) {
                    $0.address?.network == network
                }
                if leaving.isEmpty { leaving.append(channel) }
            }
            if state.connections.count >= capacity {
                let idle = takeIdle(&state, upTo: max(1, capacity / Self.parts)) { _ in true }
                leaving += idle.isEmpty ? [channel] : idle
            }
            state.next += 1
            state.connections[state.next] = Connection(channel: channel, use: use, address: address)
            if let address { state.clients.add(address) }
            state.closed += leaving.count
            return (state.next, leaving)
        }
        // Not at once: the new one is still being set up.
        for channel in leaving { channel.eventLoop.execute { channel.close(promise: nil) } }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(number) }
        return use
    }

    private func remove(_ number: UInt64) {
        state.withLock { state in
            guard let connection = state.connections.removeValue(forKey: number) else { return }
            Self.forget(connection, &state)
        }
    }

    /// Takes out those that were idle for longest.
    private func takeIdle(
        _ state: inout State, upTo count: Int, where isMeant: (Connection) -> Bool
    ) -> [any Channel] {
        let idle = state.connections.compactMap { number, connection in
            isMeant(connection) ? connection.use.idle.map { (number: number, since: $0) } : nil
        }
        return idle.sorted { $0.since < $1.since }.prefix(count).compactMap { number, _ in
            guard let connection = state.connections.removeValue(forKey: number) else { return nil }
            Self.forget(connection, &state)
            return connection.channel
        }
    }

    private static func forget(_ connection: Connection, _ state: inout State) {
        if let address = connection.address { state.clients.remove(address) }
    }
}
