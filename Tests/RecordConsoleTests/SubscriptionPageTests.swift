import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import Testing

@testable import RecordConsole

/// The pages of subscriptions: lists page by page, and why somebody was not told.
@Suite struct SubscriptionPageTests {
    private let base = ConsoleFixture.base

    @Test func `Subscriptions are listed in pages and explained, and receivers removed`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let tenant = try ConsoleFixture.tenant()
            let user = try await Users.add(
                "<ada>", to: tenant, store: fixture.store, environment: ConsoleFixture.environment)
            func note(_ number: Int64) -> RecordInput {
                var note = RecordInput(recordName: "one", recordType: "Note")
                note.fields = [("n", WireField(value: .int(number)))]
                return note
            }
            _ = try await fixture.ask(
                .recordsModify, RecordsModifyRequest(operations: [RecordOperation(.create, note(5))]),
                owner: user.recordName)
            try await fixture.store.write { store in
                let database = try store.makeDatabase(DatabaseID(tenant: tenant, owner: user.recordName))
                let type = try #require(try store.schema(of: tenant).types["Note"])
                _ = try store.watch(type.id, in: database, at: 1)
                for number in 100..<160 {
                    var definition = SubscriptionDictionary(kind: .query, subscriptionID: "s\(number)")
                    definition.query = QueryDictionary(recordType: "Note", predicate: "n > \(number)")
                    definition.firesOn = [.update]
                    let subscription = definition
                    try store.store(
                        SubscriptionRow(
                            database: database, user: user.recordName, name: "s\(number)", type: type.id,
                            zone: 0, since: 0, definition: JSONWriter.text { subscription.write(to: &$0) }))
                }
                try store.store(
                    ReceiverRow(
                        digest: Array(repeating: 171, count: 32), tenant: tenant, user: user.recordName,
                        pushEnvironment: "development", client: "", cursor: 0, createdAt: 1, seenAt: 1))
            }
            _ = try await fixture.ask(
                .recordsModify, RecordsModifyRequest(operations: [RecordOperation(.forceUpdate, note(110))]),
                owner: user.recordName)

            let first = try await browser.get(base + "/subscriptions")
            #expect(first.text.contains("&lt;ada&gt;") && !first.text.contains("<ada>"))
            #expect(first.text.contains("title=\"s149\"") && !first.text.contains("title=\"s150\""))
            #expect(first.text.contains("n &gt; 149 (update)"))
            let next = try #require(
                first.text.split(separator: "\"").first { $0.contains("after=s149") })
            let second = try await browser.get(String(next.replacing("&amp;", with: "&")))
            #expect(second.text.contains("title=\"s159\"") && !second.text.contains("title=\"s149\""))
            let own = try await browser.get("\(base)/subscriptions?user=\(user.recordName)")
            #expect(own.text.contains("title=\"s100\"") && own.text.contains("title=\"s159\""))
            #expect(own.text.contains("1 change<br>"))

            let why = try await browser.get(
                "\(base)/subscriptions/why?user=\(user.recordName)&record=one")
            #expect(why.text.contains("It matches: n &gt; 109."))
            #expect(why.text.contains("The record does not fulfil n &gt; 110: it has 110."))
            #expect(why.text.contains("It waits until the client asks"))
            #expect(try await browser.get("\(base)/subscriptions?user=_nobody").status == 404)
            #expect(try await browser.get("\(base)/subscriptions/why?user=_nobody&record=x").status == 404)
            #expect(try await browser.get("\(base)/subscriptions/why?user=\(user.recordName)").status == 400)

            let id = Array(repeating: "ab", count: 32).joined()
            let gone = try await browser.post("\(base)/receivers/\(id)/remove", ["csrf": csrf])
            #expect(gone.status == 303)
            #expect(
                try await browser.get(base + "/subscriptions").text.contains("No device has registered"))
            #expect(try await browser.post("\(base)/receivers/x/remove", ["csrf": csrf]).status == 404)
        }
    }
}
