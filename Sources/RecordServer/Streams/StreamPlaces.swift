import NIOCore
import NIOHTTP2
import RecordModel
import Synchronization

/// How many requests are under way over HTTP/2, in all and from each address and network: as many as there could be connections over
/// HTTP/1.1, each of which has one at a time.
final class StreamPlaces: Sendable {
    private struct State {
        var count = 0
        var clients = ClientCounts()
        var refused = 0
    }

    private let capacity: Int
    private let share: Int
    private let networkShare: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: the most places.
    ///   - share: the most of them for one address.
    ///   - networkShare: the most of them for one network.
    init(
        capacity: Int = Limits.connections, share: Int = Limits.connectionsPerAddress,
        networkShare: Int = Limits.connectionsPerNetwork
    ) {
        self.capacity = capacity
        self.share = share
        self.networkShare = networkShare
    }

    /// How many are taken.
    var count: Int { state.withLock { $0.count } }

    /// How many requests found none.
    var refused: Int { state.withLock { $0.refused } }

    /// Takes a place; nil where there is none.
    ///
    /// - Parameter address: the client's; nil where several clients stand behind it.
    func take(for address: ClientAddress?) -> Place? {
        let isTaken = state.withLock { state in
            let isWithin = address.map {
                state.clients[$0] < share && state.clients[$0.network] < networkShare
            }
            guard state.count < capacity, isWithin ?? true else {
                state.refused += 1
                return false
            }
            state.count += 1
            if let address { state.clients.add(address) }
            return true
        }
        return isTaken ? Place(self, address) : nil
    }

    private func give(_ address: ClientAddress?) {
        state.withLock { state in
            state.count -= 1
            assert(state.count >= 0, "a place is given back once")
            if let address { state.clients.remove(address) }
        }
    }

    /// One request's place, which it has until its work has ended, not only its client left: otherwise requests that are
    /// taken back at once would cost nothing (CVE-2023-44487).
    final class Place: Sendable {
        private let places: StreamPlaces
        private let address: ClientAddress?
        private let isOver = Atomic<Bool>(false)

        fileprivate init(_ places: StreamPlaces, _ address: ClientAddress?) {
            self.places = places
            self.address = address
        }

        deinit { end() }

        /// Gives it back, once.
        func end() {
            if !isOver.exchange(true, ordering: .relaxed) { places.give(address) }
        }
    }
}

/// Notes whether any request of a connection is under way: one without gives way to others.
final class StreamCounter: NIOHTTP2StreamDelegate {
    private let use: ConnectionUse
    private let next: any NIOHTTP2StreamDelegate
    private let count = Atomic<Int>(0)

    init(_ use: ConnectionUse, _ next: any NIOHTTP2StreamDelegate) {
        self.use = use
        self.next = next
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        count.add(1, ordering: .relaxed)
        use.begin()
        next.streamCreated(id, channel: channel)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        if count.subtract(1, ordering: .relaxed).newValue == 0 { use.end() }
        next.streamClosed(id, channel: channel)
    }
}
