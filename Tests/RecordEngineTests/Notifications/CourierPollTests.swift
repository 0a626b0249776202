import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

@testable import RecordEngine

/// What polls do about what happens while they wait: at other nodes, to the log, by other receivers.
@Suite struct CourierPollTests {
    /// A poll of a receiver at a node, which has read its subscriptions and does not run yet.
    private static func poll(of courier: Courier, at service: RecordService) async throws -> CourierPoll {
        let digest = AccessToken.digest(courier.token)
        let row = try #require(try await courier.cloud.store.read(.short) { try $0.receiver(digest: digest) })
        return try await CourierPoll(service: service, row: row, place: NotificationPlace(endOf: row.cursor))
    }

    /// Forgets what the log has so far.
    private static func forget(_ cloud: TestCloud) async throws {
        try await cloud.store.write { store in
            _ = try store.forgetChanges(before: 0, at: 1)
            _ = try store.forgetChanges(before: 1, at: 2)
        }
    }

    @Test func `A poll does not pass what was subscribed at another node after it read its rows`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            let node = try cloud.makeNode()
            let waiting = try await Self.poll(of: courier, at: node)
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("a", ["n": ["value": 2]])
            guard case .again(let place) = try await waiting.run(until: .now) else {
                Issue.record("The poll was done with what it had not read.")
                return
            }
            let change = try await cloud.store.read(.short) { try $0.lastSequence() }
            #expect(place.change < change)
            let told = try #require(
                try await node.nextNotification(ofReceiver: courier.token, seconds: 0))
            #expect(Courier.text(try JSONReader.read(told.json)) == "s:created:a")
        }
    }

    @Test func `A poll that waits at one node is told of a subscription made at another`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            let node = try cloud.makeNode()
            let poll = Task {
                // A bound for a service that loses the change; else the first or the second tells it.
                for _ in 0..<8 {
                    if let told = try await node.nextNotification(ofReceiver: courier.token, seconds: 2) {
                        return Courier.text(try JSONReader.read(told.json))
                    }
                }
                return "nothing"
            }
            #expect(try await eventually { await node.receiverCount == 1 })
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("a", ["n": ["value": 2]])
            #expect(try await poll.value == "s:created:a")
        }
    }

    @Test func `A client that names its last notification misses nothing by a long silence`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s", atLeast: 10))
            let courier = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 10]])
            let last = try #require(try await courier.next()?["ck"]["nid"].string)
            for round in 0..<3 {
                try await cloud.save("quiet\(round)", ["n": ["value": 1]])
                #expect(try await courier.next(after: last) == nil)
                try await Self.forget(cloud)
                #expect(try await courier.next(after: last) == nil)
            }
            // Another node knows it from the store.
            let digest = AccessToken.digest(courier.token)
            let isStored = try await eventually {
                try await cloud.store.read(.short) { reader in
                    let row = try #require(try reader.receiver(digest: digest))
                    guard let quiet = try ReceiverState(json: row.state).quiet else { return false }
                    return try quiet.upTo.change >= reader.forgottenChanges()
                }
            }
            #expect(isStored)
            let node = try cloud.makeNode()
            #expect(
                try await node.nextNotification(ofReceiver: courier.token, after: last, seconds: 0) == nil)
            try await cloud.save("b", ["n": ["value": 11]])
            let told = try #require(
                try await node.nextNotification(ofReceiver: courier.token, after: last, seconds: 0))
            #expect(Courier.text(try JSONReader.read(told.json)) == "s:created:b")
            // One that named an older notification would not have had the newer ones.
            let other = NotificationPlace(change: 0, subscription: 1).id
            let again = try #require(
                try await node.nextNotification(ofReceiver: courier.token, after: other, seconds: 0))
            #expect(Courier.text(try JSONReader.read(again.json)) == "start again")
        }
    }

    @Test func `A poll that finds the horizon past it says so, also while it waits`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let courier = try await Courier.make(cloud)
            let waiting = try await Self.poll(of: courier, at: cloud.service)
            try await cloud.save("a", ["n": ["value": 2]])
            try await Self.forget(cloud)
            guard case .found(let json, _, _) = try await waiting.run(until: .now) else {
                Issue.record("What was forgotten was passed in silence.")
                return
            }
            #expect(Courier.text(try JSONReader.read(json)) == "start again")
        }
    }

    @Test func `One that fires once tells an older receiver of one change, the first, whoever asks first`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s").with("firesOnce", true))
            let early = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 2]])
            let late = try await Courier.make(cloud)
            try await cloud.save("b", ["n": ["value": 3]])
            #expect(try await late.all() == ["s:created:b"])
            #expect(try await early.all() == ["s:created:a"])
            try await cloud.save("c", ["n": ["value": 4]])
            #expect(try await late.all() == [])
            #expect(try await early.all() == [])
        }
    }

    @Test func `A node counts who waits, and how far it is`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            let poll = try await Self.poll(of: courier, at: cloud.service)
            #expect(cloud.service.openReceivers.polls == 1)
            _ = try await poll.run(until: .now)
            #expect(cloud.service.openReceivers.polls == 0)
            #expect(cloud.service.changeLagSeconds == 0)
        }
    }

    /// What is sealed is longer in the store, which ends its answers by what is stored, than where it is opened.
    @Test func `Nothing is passed over where long encrypted fields end an answer of the log`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("p", ["n": ["value": 0]])
            try await cloud.save("x", ["n": ["value": 0]], in: .public)
            try await cloud.subscribe(TestCloud.notes("private", atLeast: 100))
            try await cloud.subscribe(TestCloud.notes("public"), in: .public)
            let courier = try await Courier.make(cloud)
            for number in 1...80 {
                let text: JSONValue = [
                    "value": .string(String(repeating: "\(number) ", count: 14_000)), "type": "STRING",
                    "isEncrypted": true,
                ]
                try await cloud.save("p", ["n": ["value": number == 80 ? 100 : 1], "t": text])
            }
            try await cloud.save("x", ["n": ["value": 5]], in: .public)
            #expect(try await courier.all() == ["private:updated:p", "public:updated:x"])
        }
    }

    // MARK: A notification that is on its way

    /// A courier that two notifications wait for, with its first poll's, which is not known to have arrived.
    private static func underWay(_ cloud: TestCloud) async throws -> (
        courier: Courier, first: CourierNotification
    ) {
        try await cloud.save("x", ["n": ["value": 1]])
        try await cloud.subscribe(notes)
        let courier = try await Courier.make(cloud)
        for name in ["a", "b"] { try await cloud.save(name, ["n": ["value": 2]]) }
        return (courier, try #require(try await cloud.service.nextNotification(ofReceiver: courier.token)))
    }

    private static let notes = TestCloud.notes("s")

    /// A poll beside it, which waits for what becomes of the first.
    private static func another(_ courier: Courier) async throws -> Task<String, any Error> {
        let poll = Task {
            guard let told = try await courier.cloud.service.nextNotification(ofReceiver: courier.token)
            else {
                return "nothing"
            }
            courier.cloud.service.noteDelivered(told)
            return Courier.text(try JSONReader.read(told.json))
        }
        #expect(try await eventually { courier.cloud.service.desk.handovers.waiting == 1 })
        return poll
    }

    @Test func `A poll that comes before the last notification is known to have left is told the next`()
        async throws
    {
        try await TestCloud.run { cloud in
            let (courier, first) = try await Self.underWay(cloud)
            let poll = try await Self.another(courier)
            cloud.service.noteDelivered(first)
            #expect(try await poll.value == "s:created:b")
            #expect(try await courier.all() == [])
        }
    }

    @Test func `A notification whose connection broke is told again to the poll that waits for it`()
        async throws
    {
        try await TestCloud.run { cloud in
            var (courier, first): (Courier, CourierNotification?) = try await Self.underWay(cloud)
            let poll = try await Self.another(courier)
            #expect(first != nil)
            first = nil
            #expect(try await poll.value == "s:created:a")
            #expect(try await courier.all() == ["s:created:b"])
        }
    }

    @Test func `A poll that waits for a notification ends with its client and with the server`() async throws
    {
        try await TestCloud.run { cloud in
            let (courier, first) = try await Self.underWay(cloud)
            let cancelled = try await Self.another(courier)
            cancelled.cancel()
            _ = await cancelled.result
            let stopped = try await Self.another(courier)
            await cloud.service.drainReceivers()
            _ = await stopped.result
            #expect(cloud.service.desk.handovers.waiting == 0)
            cloud.service.noteDelivered(first)
        }
    }

    @Test func `One that names its last notification, or does not wait, is answered at once`() async throws {
        try await TestCloud.run { cloud in
            let (courier, first) = try await Self.underWay(cloud)
            let again = try #require(try await courier.next())
            #expect(Courier.text(again) == "s:created:a")
            let id = try JSONReader.read(first.json)["ck"]["nid"].string
            let next = try #require(try await courier.next(after: id, seconds: 55))
            #expect(Courier.text(next) == "s:created:b")
        }
    }
}
