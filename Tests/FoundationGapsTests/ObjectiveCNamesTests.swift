import FoundationGaps
import Synchronization
import Testing

private nonisolated(unsafe) var nameKey: UInt8 = 0
private nonisolated(unsafe) var otherKey: UInt8 = 0

/// A number that several objects count in.
private final class Counter: Sendable {
    let value = Mutex(0)
}

@Suite struct ObjectiveCNamesTests {
    private final class Owner: Sendable {}
    private final class Kept: Sendable {
        let ended: Counter
        init(_ ended: Counter) { self.ended = ended }
        deinit { ended.value.withLock { $0 += 1 } }
    }

    @Test func `An object keeps a value for each key until it is taken away`() {
        let (owner, other) = (Owner(), Owner())
        objc_setAssociatedObject(owner, &nameKey, "Ada", .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        objc_setAssociatedObject(owner, &otherKey, 7, .OBJC_ASSOCIATION_COPY)
        #expect(objc_getAssociatedObject(owner, &nameKey) as? String == "Ada")
        #expect(objc_getAssociatedObject(owner, &otherKey) as? Int == 7)
        #expect(objc_getAssociatedObject(other, &nameKey) == nil)
        objc_setAssociatedObject(owner, &nameKey, "Grace", .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(owner, &nameKey) as? String == "Grace")
        objc_setAssociatedObject(owner, &nameKey, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(owner, &nameKey) == nil)
        objc_removeAssociatedObjects(owner)
        #expect(objc_getAssociatedObject(owner, &otherKey) == nil)
    }

    @Test func `A value that is only assigned is not kept alive`() {
        let owner = Owner()
        var value: Owner? = Owner()
        objc_setAssociatedObject(owner, &nameKey, value, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(owner, &nameKey) as? Owner === value)
        value = nil
        #expect(objc_getAssociatedObject(owner, &nameKey) == nil)
    }

    @Test func `Values of objects that went go as well, and nobody gets those of an address used before`() {
        let ended = Counter()
        for _ in 0..<2_000 {
            let owner = Owner()
            #expect(objc_getAssociatedObject(owner, &nameKey) == nil)
            objc_setAssociatedObject(owner, &nameKey, Kept(ended), .OBJC_ASSOCIATION_RETAIN)
        }
        #expect(ended.value.withLock { $0 } > 1_000)
    }

    @Test func `One thread at a time is between objc_sync_enter and objc_sync_exit, as often as it likes`() {
        let lock = Owner()
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            objc_sync_enter(lock)
            objc_sync_enter(lock)
            count += 1
            objc_sync_exit(lock)
            count += 1
            #expect(objc_sync_exit(lock) == OBJC_SYNC_SUCCESS)
        }
        #expect(count == 400)
        #expect(objc_sync_exit(lock) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    }
}
