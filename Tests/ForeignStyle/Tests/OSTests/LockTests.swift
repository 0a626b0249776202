import Foundation
import Testing
import os

@Suite struct LockTests {
    @Test func `A lock excludes all other threads`() {
        let lock = OSAllocatedUnfairLock(initialState: (0, 0))
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            for _ in 0..<5_000 {
                lock.withLock { state in
                    state.0 += 1
                    if state.0 % 64 == 0 { sched_yield() }
                    state.1 += 1
                }
                if number == 0 { _ = lock.withLockIfAvailable { $0.0 } }
            }
        }
        #expect(lock.withLock { $0 } == (40_000, 40_000))
    }

    @Test func `A lock is taken once`() {
        let lock = OSAllocatedUnfairLock()
        lock.precondition(.notOwner)
        lock.lock()
        lock.precondition(.owner)
        let other = Thread { #expect(!lock.lockIfAvailable()) }
        other.start()
        while !other.isFinished { usleep(100) }
        lock.unlock()
        #expect(lock.withLockIfAvailable { 5 } == 5)
    }
}
