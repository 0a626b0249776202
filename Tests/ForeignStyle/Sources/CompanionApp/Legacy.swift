import Foundation
import os.lock
import os.log

/// Code of before `Logger`, with C's lock.
enum Legacy {
    static let log = OSLog(subsystem: "org.example.shop", category: "legacy")

    static func count(to end: Int) -> Int {
        let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        defer { lock.deallocate() }
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) let shared = lock
        DispatchQueue.concurrentPerform(iterations: end) { _ in
            os_unfair_lock_lock(shared)
            count += 1
            os_unfair_lock_unlock(shared)
        }
        os_log("counted to %d for %{private}@", log: log, type: .error, count, "somebody")
        os_log(.info, log: log, "counted to %{public}@", "\(count)")
        return count
    }
}
