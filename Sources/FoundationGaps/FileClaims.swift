internal import Foundation

/// The files that coordinators of this process read and write at this moment.
///
/// Unchecked sendable: all that changes is touched under the condition's lock only, which the compiler cannot see;
/// `Mutex` cannot wait for a condition.
final class FileClaims: @unchecked Sendable {
    /// A file, or a folder with all in it.
    struct Claim {
        var path: String
        var isWriting: Bool
    }

    private struct Held {
        var id: Int
        var claims: [Claim]
        /// Coordinators of one purpose do not wait for each other.
        var purpose: String
    }

    static let shared = FileClaims()

    private let condition = NSCondition()
    private var held: [Held] = []
    private var lastID = 0

    /// Waits until nobody else of another purpose has the files in a way that excludes this one.
    ///
    /// - Parameter isCancelled: asked whenever something changed.
    /// - Returns: a number to let the files go by; nil when it was cancelled.
    func take(_ claims: [Claim], purpose: String, isCancelled: () -> Bool) -> Int? {
        condition.lock()
        defer { condition.unlock() }
        while !isCancelled() {
            let isFree = !held.contains { other in
                other.purpose != purpose && Self.exclude(other.claims, claims)
            }
            if isFree {
                lastID += 1
                held.append(Held(id: lastID, claims: claims, purpose: purpose))
                return lastID
            }
            condition.wait()
        }
        return nil
    }

    func release(_ id: Int) {
        condition.lock()
        held.removeAll { $0.id == id }
        condition.broadcast()
        condition.unlock()
    }

    /// Lets everybody who waits look again.
    func wake() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    private static func exclude(_ some: [Claim], _ others: [Claim]) -> Bool {
        some.contains { one in
            others.contains { other in (one.isWriting || other.isWriting) && overlap(one.path, other.path) }
        }
    }

    private static func overlap(_ one: String, _ other: String) -> Bool {
        one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
    }
}
