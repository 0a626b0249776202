import os

/// Measured intervals, and a lock.
final class Signposts {
    private let signposter = OSSignposter(subsystem: "com.example.notes", category: "speed")
    private let count = OSAllocatedUnfairLock(initialState: 0)

    func measured<T>(_ work: () throws -> T) rethrows -> T {
        let state = signposter.beginInterval("work")
        defer { signposter.endInterval("work", state) }
        count.withLock { $0 += 1 }
        return try work()
    }

    var measuredCount: Int { count.withLock { $0 } }
}
