import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// What listeners' predicates may cost, who pays for it, and what becomes of those that cost too much.
@Suite(.timeLimit(.minutes(5))) struct ConditionEvaluatorTests {
    /// A clock that only the test moves, and questions that cost what it says.
    private final class Clock: Sendable {
        private let state = Mutex((now: Int64(0), used: Int64(0), cost: Int64(0)))

        init(milliseconds cost: Int64) { state.withLock { $0.cost = cost * 1_000_000 } }

        var meter: ConditionEvaluator.Meter {
            ConditionEvaluator.Meter(
                used: {
                    self.state.withLock { state in
                        state.used += state.cost
                        return state.used
                    }
                }, now: { self.state.withLock { $0.now } })
        }

        /// How many questions were asked.
        var questions: Int { state.withLock { $0.cost == 0 ? 0 : Int($0.used / $0.cost / 2) } }

        func pass(seconds: Int64) { state.withLock { $0.now += seconds * 1_000_000_000 } }
    }

    private final class Told: Sendable {
        let flag = Mutex(false)
    }

    private static let field = FieldSchema(name: "t", type: FieldType(.string), indexes: [], column: 1)

    private static func condition(_ parts: Int = 1, _ word: String = "x") -> ListenedCondition {
        ListenedCondition(
            .or(
                (0..<parts).map {
                    .text(.field(field), TextMatch(.contains, "\(word)\($0)", ignoresCase: true))
                }))
    }

    /// A change to a text of so many bytes, which ends with a word.
    private static func change(_ word: String = "x0", bytes: Int = 200_000) -> FollowedChange {
        let text = String(repeating: "é ", count: bytes / 3) + word
        let body =
            "{\"recordName\":\"r\",\"recordType\":\"Note\",\"fields\":{\"t\":{\"value\":\"\(text)\",\"type\":\"STRING\"}}"
        return FollowedChange(
            LoggedChange(
                sequence: 1, kind: .created, database: 1, zone: 1, type: 1, name: "r", after: Array(body.utf8)
            ))
    }

    @Test func `Equal predicates of many listeners are asked once of a change`() async throws {
        let clock = Clock(milliseconds: 1)
        let desk = ConditionEvaluator(threads: 1, meter: clock.meter)
        let change = Self.change()
        for party in 0..<20 {
            let found = await desk.verdict(of: Self.condition(), on: change, .after, for: "\(party)")
            #expect(found == ChangeVerdict(after: true))
        }
        #expect(await desk.verdict(of: Self.condition(1, "y"), on: change, .after, for: "p")?.after == false)
        #expect(clock.questions == 2)
        // What costs nothing is not waited for.
        #expect(Self.change(bytes: 100).quickVerdict(of: Self.condition(), .after)?.after == true)
        #expect(change.quickVerdict(of: Self.condition(1, "z"), .after) == nil)
    }

    @Test func `Who has used up the time waits until there is some again, and others go on`() async throws {
        let clock = Clock(milliseconds: Int64(Limits.listenerMilliseconds) + 1)
        let desk = ConditionEvaluator(threads: 1, meter: clock.meter)
        func ask(_ word: String, _ party: String) async -> Bool? {
            await desk.verdict(of: Self.condition(1, word), on: Self.change("b0"), .after, for: party)?.after
        }
        #expect(await ask("a", "greedy") == false)
        let told = Told()
        let waiting = Task {
            let found = await desk.verdict(
                of: Self.condition(1, "b"), on: Self.change("b0"), .after, for: "greedy")
            told.flag.withLock { $0 = true }
            return found?.after
        }
        for number in 0..<5 { #expect(await ask("b", "modest \(number)") == true) }
        #expect(!told.flag.withLock { $0 })
        clock.pass(seconds: 60)
        #expect(await waiting.value == true)
    }

    @Test func `Who leaves, and who waits when the server stops, is answered`() async throws {
        let clock = Clock(milliseconds: Int64(Limits.listenerMilliseconds) * 2)
        let desk = ConditionEvaluator(threads: 1, meter: clock.meter)
        _ = await desk.verdict(of: Self.condition(), on: Self.change(), .after, for: "p")
        let leaving = Task {
            await desk.verdict(of: Self.condition(1, "y"), on: Self.change(), .after, for: "p")
        }
        leaving.cancel()
        #expect(await leaving.value == nil)
        let late = await desk.verdict(
            of: Self.condition(1, "y"), on: Self.change(), .after, for: "p", until: .now + .milliseconds(1))
        #expect(late == nil)
        let waiting = Task {
            await desk.verdict(of: Self.condition(1, "z"), on: Self.change(), .after, for: "p")
        }
        desk.stop()
        #expect(await waiting.value == nil)
        #expect(await desk.verdict(of: Self.condition(), on: Self.change(), .after, for: "q") == nil)
    }

    // MARK: The price

    private static func predicate(_ parts: Int) -> String {
        (0..<parts).map { "t LIKE[cd] \"*l\(String(repeating: "x", count: $0 % 9))*q\($0)*\"" }.joined(
            separator: " OR ")
    }

    @Test
    func `A predicate that goes through texts too often is refused where somebody listens, and only there`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["t": ["value": "x"], "l": ["value": ["x"]]])
            func refusal(_ predicate: String) async throws -> [String?] {
                let query: JSONValue = ["recordType": "Note", "predicate": .string(predicate)]
                var found: [String?] = [try await cloud.query(query).code]
                do {
                    try await LiveClient.open(cloud, ["query": query]).close()
                    found.append(nil)
                } catch let error as ServiceError { found.append("\(error.code)") }
                let subscription: JSONValue = [
                    "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"], "query": query,
                ]
                let answer = try await cloud.send(
                    .subscriptionsModify,
                    ["operations": [["operationType": "create", "subscription": subscription]]])
                found.append(answer.json["subscriptions"][0]["serverErrorCode"].string)
                do {
                    _ = try await cloud.addHook(where: predicate)
                    found.append(nil)
                } catch let error as ServiceError { found.append("\(error.code)") }
                return found
            }
            #expect(try await refusal(Self.predicate(Limits.scansPerListener)) == [nil, nil, nil, nil])
            let refused: [String?] = [nil, "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST"]
            #expect(try await refusal(Self.predicate(Limits.scansPerListener + 1)) == refused)
            #expect(try await refusal(Self.predicate(250)) == refused)
            let elements = (0...Limits.scansPerListener).map { "ANY l CONTAINS 'w\($0)'" }
            #expect(try await refusal(elements.joined(separator: " AND ")) == refused)
            // A long pattern with wildcards counts for several.
            let wild = (0..<8).map { "t LIKE '*\(String(repeating: "?\($0)", count: 500))*'" }
            #expect(try await refusal(wild.joined(separator: " OR ")) == refused)
            // Values are looked up, however many there are.
            let values = (0..<300).map { "'\($0)'" }.joined(separator: ",")
            #expect(
                try await refusal("t IN {\(values)} AND NOT ANY l IN {\(values)} AND l CONTAINS 'x'")
                    == [nil, nil, nil, nil])
        }
    }

    // MARK: What is told

    @Test func `Long texts are told to live queries, counts, couriers and webhooks alike`() async throws {
        try await TestCloud.run { cloud in
            let long = String(repeating: "Straße ", count: 20_000)
            let predicate = "\(Self.predicate(8)) OR t CONTAINS[cd] 'MÜLLER'"
            let query: JSONValue = ["recordType": "Note", "predicate": .string(predicate)]
            try await cloud.save("seed", ["n": ["value": 0], "t": ["value": "x"]])
            let (list, same, count) = (LiveClient(), LiveClient(), LiveClient(.recordsLiveCount))
            for client in [list, same, count] { try await client.start(cloud, ["query": query]) }
            #expect(
                try await eventually {
                    list.events == ["page"] && same.events == ["page"] && count.count == 0
                })
            try await cloud.subscribe(
                [
                    "subscriptionID": "s", "subscriptionType": "query",
                    "firesOn": ["create", "update", "delete"], "query": query,
                ])
            let courier = try await Courier.make(cloud)
            _ = try await cloud.addHook(where: predicate)
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["t": ["value": .string(long + "mu\u{308}ller")]])
                try await cloud.save("b", ["t": ["value": .string(long)]])
                try await cloud.save("b", ["t": ["value": .string(long + "lxx q2")]])
                try await cloud.save("a", ["t": ["value": .string(long)]])
                try await cloud.delete("b")
                let events = ["page", "enter a", "enter b", "leave a", "leave b"]
                for client in [list, same] {
                    #expect(try await eventually { client.events == events }, "\(client.events)")
                }
                #expect(
                    try await eventually { count.count == 0 && count.events.count > 1 }, "\(count.events)")
                #expect(try await courier.all() == ["s:created:a", "s:updated:b", "s:deleted:b"])
                #expect(
                    try await eventually { receiver.texts == ["create:a", "update:b", "delete:b"] },
                    "\(receiver.texts)")
            }
            for client in [list, same, count] { await client.stop() }
        }
    }
}
