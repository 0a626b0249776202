import Foundation
import FoundationGaps
import Synchronization
import TestSupport
import Testing

@Suite struct NotificationSequenceTests {
    private static let name = Notification.Name("org.stratus.test")
    private final class Sender: Sendable {}

    @Test func `Notifications wait in their order until they are asked for`() async {
        let center = NotificationCenter()
        let (ours, other) = (Sender(), Sender())
        var iterator = center.notifications(named: Self.name, object: ours).makeAsyncIterator()
        for number in 0..<100 {
            center.post(name: Self.name, object: other, userInfo: ["number": -1])
            center.post(name: Self.name, object: ours, userInfo: ["number": number])
            center.post(name: Notification.Name("another"), object: ours)
        }
        for number in 0..<100 {
            let next = await iterator.next()
            #expect(next?.userInfo?["number"] as? Int == number && next?.object as? Sender === ours)
        }
    }

    @Test func `A task that is cancelled is given an end`() async {
        let center = NotificationCenter()
        let isListening = Atomic(false)
        let task = Task {
            var count = 0
            var iterator = center.notifications(named: Self.name).makeAsyncIterator()
            isListening.store(true, ordering: .releasing)
            while await iterator.next() != nil { count += 1 }
            return count
        }
        while !isListening.load(ordering: .acquiring) { await Task.yield() }
        center.post(name: Self.name, object: nil)
        task.cancel()
        #expect(await task.value <= 1)
    }

    @Test func `An iterator that is gone keeps nothing`() {
        let center = NotificationCenter()
        weak var sender: Sender?
        do {
            let made = Sender()
            sender = made
            let iterator = center.notifications(named: Self.name, object: made).makeAsyncIterator()
            center.post(name: Self.name, object: made)
            _ = iterator
        }
        #expect(sender == nil)
    }
}
