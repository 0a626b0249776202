public import RecordModel
import Synchronization

/// New requests as they come, for one listener.
///
/// A listener that is slow misses some and learns how many; it slows nobody down. Leaving the loop, or
/// dropping the tail, ends it.
public struct RequestTail: AsyncSequence, Sendable {
    /// A new request, or a sign of life.
    public struct Element: Sendable {
        /// The request; nil for a sign of life.
        public var request: KeptRequest?
        /// How many were left out before it because the listener was slow.
        public var dropped: Int
    }

    let stream: AsyncStream<Element>
    let continuation: AsyncStream<Element>.Continuation

    /// Adds an element without a request, for a listener who has to do something from time to time.
    public func beat() { continuation.yield(Element(request: nil, dropped: 0)) }

    /// Ends the tail.
    public func end() { continuation.finish() }

    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

extension RequestHistory {
    /// Someone who follows new requests.
    struct Listener {
        let filter: PreparedFilter
        let continuation: AsyncStream<RequestTail.Element>.Continuation
        var dropped = 0
    }

    /// Follows new requests that pass a filter, from now on.
    ///
    /// - Throws: `TRY_AGAIN_LATER` when `Limits/tailListeners` do so already.
    public func tail(_ filter: RequestFilter = RequestFilter()) throws(ServiceError) -> RequestTail {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RequestTail.Element.self, bufferingPolicy: .bufferingOldest(Limits.tailBacklog))
        followers.add(1, ordering: .relaxed)
        let number = withState { state -> UInt64? in
            guard state.listeners.count < Limits.tailListeners else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = Listener(
                filter: PreparedFilter(filter), continuation: continuation)
            return state.nextListener
        }
        guard let number else {
            followers.subtract(1, ordering: .relaxed)
            throw ServiceError(
                .tryAgainLater, "\(Limits.tailListeners) listeners follow the requests already.",
                remedy: "Close a page that follows them.")
        }
        continuation.onTermination = { [weak self] _ in
            // It is let go of outside the lock.
            let listener = self?.withState { $0.listeners.removeValue(forKey: number) }
            if listener != nil { self?.followers.subtract(1, ordering: .relaxed) }
        }
        return RequestTail(stream: stream, continuation: continuation)
    }

    /// Ends all tails, for a server that stops.
    func endTails() {
        let listeners = withState { state in
            defer { state.listeners = [:] }
            return state.listeners
        }
        followers.subtract(listeners.count, ordering: .relaxed)
        for listener in listeners.values { listener.continuation.finish() }
    }

    /// How many follow new requests.
    var listenerCount: Int { withState { $0.listeners.count } }
}

extension RequestHistory.State {
    /// Tells the listeners of the newest request on a shelf.
    mutating func tell(_ shelf: Int) {
        let ring = shelves[shelf]
        guard ring.count > 0, ring.sequence(at: ring.count - 1) == sequence else { return }
        ring.withRecord(at: ring.count - 1) { bytes in
            guard let view = RequestRecord.View(bytes) else { return }
            var request: KeptRequest?
            for number in Array(listeners.keys) {
                guard var listener = listeners[number], listener.filter.passes(view) else { continue }
                let kept = request ?? RequestRecord.request(view, sequence: sequence)
                request = kept
                let element = RequestTail.Element(request: kept, dropped: listener.dropped)
                if case .dropped = listener.continuation.yield(element) {
                    listener.dropped += 1
                } else {
                    listener.dropped = 0
                }
                listeners[number] = listener
            }
        }
    }
}
