import RecordEngine
import RecordWire
import Synchronization

/// Those who listen to notifications in a test's cloud: who waits for the next one, and who is busy with the last.
final class ListenerRegistry: Sendable {
    /// A receiver of notifications that has asked at least once.
    struct Listener: Sendable {
        /// The number of the poll that waits; nil while the listener is busy.
        var poll: Int?
        /// The id that the poll goes on from.
        var after: String?
        /// What it is told a second time.
        var again: [UInt8]?
        /// For an id that the listener may come with: the last of those that were lost on purpose after it.
        var lost: [String: String] = [:]
    }

    private struct State {
        var listeners: [String: Listener] = [:]
        var polls = 0
    }

    private let state = Mutex(State())

    /// Everybody who listens, by token.
    var listeners: [String: Listener] { state.withLock { $0.listeners } }

    /// Waits for what a listener is told next, with the faults that are set.
    ///
    /// - Returns: the payload; nil where none came in time.
    /// - Throws: as `RecordService.nextNotification`; `CancellationError`.
    func next(
        _ token: String, after last: String?, from service: RecordService, _ faults: NotificationFaults
    ) async throws -> [UInt8]? {
        if let again = takeAgain(token) { return again }
        do {
            var after = last
            while let id = after, let last = lastLost(token, after: id) { after = last }
            while true {
                begin(token, after: after)
                let found = try await service.nextNotification(ofReceiver: token, after: after)
                try Task.checkCancellation()
                end(token)
                guard let found else { return nil }
                service.noteDelivered(found)
                switch faults.take() {
                case .lost:
                    let id = try JSONReader.read(found.json).object?.object("ck")?.string("nid")
                    if let after, let id { note(token, lost: id, after: after) }
                    after = id
                    continue
                case .late(let time): try await Task.sleep(for: time)
                case .twice: change(token) { $0.again = found.json }
                case nil: break
                }
                return found.json
            }
        } catch {
            forget(token)
            throw error
        }
    }

    /// Whether everybody waits, and there is nothing left that they would be told of.
    func haveAllBeenTold(atLeast count: Int, by service: RecordService) async -> Bool {
        let known = listeners
        guard known.count >= count else { return false }
        for (token, listener) in known {
            guard let poll = listener.poll else { return false }
            do {
                let found = try await service.nextNotification(
                    ofReceiver: token, after: listener.after, seconds: 0)
                guard found == nil else { return false }
            } catch {
                // Nobody can listen at an address that is refused.
                forget(token)
                continue
            }
            guard listeners[token]?.poll == poll else { return false }
        }
        return true
    }

    /// Forgets those who do not wait: they have gone, or are still busy.
    func forgetBusy() {
        state.withLock { state in state.listeners = state.listeners.filter { $0.value.poll != nil } }
    }

    private func forget(_ token: String) { state.withLock { $0.listeners[token] = nil } }

    private func change(_ token: String, _ body: (inout Listener) -> Void) {
        state.withLock { body(&$0.listeners[token, default: Listener()]) }
    }

    private func begin(_ token: String, after: String?) {
        state.withLock { state in
            state.polls += 1
            state.listeners[token, default: Listener()].poll = state.polls
            state.listeners[token, default: Listener()].after = after
        }
    }

    private func end(_ token: String) { change(token) { $0.poll = nil } }

    private func takeAgain(_ token: String) -> [UInt8]? {
        state.withLock { state in
            defer { state.listeners[token]?.again = nil }
            return state.listeners[token]?.again
        }
    }

    private func lastLost(_ token: String, after id: String) -> String? { listeners[token]?.lost[id] }

    private func note(_ token: String, lost id: String, after: String) {
        change(token) { $0.lost[after] = id }
    }
}
