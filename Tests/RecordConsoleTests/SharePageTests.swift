import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

@testable import RecordConsole

/// The pages of what people share: the list page by page, one share, looking as a participant, and why somebody sees a record.
@Suite struct SharePageTests {
    private let base = ConsoleFixture.base

    private struct People {
        let ada: String
        let ben: String
    }

    /// Ada shares a list with Ben, who may only read it, and keeps a record for herself.
    private func share(_ fixture: ConsoleFixture) async throws -> People {
        let tenant = try ConsoleFixture.tenant()
        func add(_ name: String) async throws -> String {
            try await Users.add(
                name, to: tenant, store: fixture.store, environment: ConsoleFixture.environment
            ).recordName
        }
        let people = People(ada: try await add("<ada>"), ben: try await add("ben"))
        let zone = ZoneID(zoneName: "Lists")
        let made = ZonesModifyRequest(operations: [.init(isDelete: false, zoneID: zone)])
        _ = try await fixture.ask(.zonesModify, made, owner: people.ada)
        func record(_ name: String, _ text: String, below parent: String? = nil) -> RecordOperation {
            var input = RecordInput(recordName: name, recordType: "Note")
            input.fields = [("text", WireField(.string(text)))]
            input.parent = parent
            return RecordOperation(.create, input)
        }
        var share = RecordInput(recordName: "s", recordType: RecordInput.shareType)
        share.fields = [("cloudkit.title", WireField(.string("<List>")))]
        var terms = ShareTerms()
        terms.root = ("list", nil)
        var ben = ParticipantDictionary(
            participantID: "ben", role: .user, status: .invited, permission: .readOnly,
            userRecordName: people.ben)
        ben.lookup = nil
        terms.participants = [ben]
        share.shareTerms = terms
        try await modify(
            [
                record("list", "shared"), record("milk", "below it", below: "list"),
                record("diary", "kept"), RecordOperation(.create, share),
            ], zone, fixture, people)
        return people
    }

    private func modify(
        _ operations: [RecordOperation], _ zone: ZoneID, _ fixture: ConsoleFixture, _ people: People
    ) async throws {
        var request = RecordsModifyRequest(operations: operations)
        request.zoneID = zone
        let answer = try await fixture.ask(.recordsModify, request, owner: people.ada)
        for case .object(let item) in answer["records"]?.array ?? [] {
            if let error = ErrorDictionary(json: item) { throw error }
        }
    }

    /// What accepting comes to.
    private func letIn(_ fixture: ConsoleFixture) async throws {
        try await fixture.store.write { store in
            let share = try #require(try store.shares(of: ConsoleFixture.tenant(), limit: 1).first)
            var row = try #require(try store.participants(ofShare: share.name, in: share.zone).first)
            row.status = .accepted
            row.since = try store.nextSequence()
            try store.put(row)
        }
    }

    @Test func `Shares are listed with who has what, and one can look as a participant`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            #expect(try await browser.get(base + "/shares").text.contains("Nobody shares anything here yet."))
            let people = try await share(fixture)
            let list = try await browser.get(base + "/shares")
            #expect(list.text.contains("&lt;List&gt;") && !list.text.contains("<List>"))
            #expect(list.text.contains("&lt;ada&gt;") && list.text.contains("the record list"))
            #expect(list.text.contains("ben: READ_ONLY") && list.text.contains("invited"))
            #expect(list.text.contains("for those invited"))
            #expect(try await fixture.deeds().first == "private.look shares")
            try await letIn(fixture)
            let zone = try #require(
                try await fixture.store.read(.short) { reader in
                    try reader.shares(of: ConsoleFixture.tenant(), limit: 1).first?.zone
                })
            let one = try await browser.get("\(base)/shares/\(zone)?name=s")
            #expect(one.text.contains("accepted") && one.text.contains("as ben sees them"))
            #expect(try await browser.get("\(base)/shares/\(zone)?name=other").status == 404)

            let look = "db=\(people.ben)%40\(people.ada)&zone=Lists"
            let seen = try await browser.get("\(base)/records?\(look)&type=Note")
            #expect(seen.text.contains("below it") && seen.text.contains("shared"))
            #expect(!seen.text.contains("kept") && !seen.text.contains("new-record"))
            #expect(seen.text.contains("You look as ben at what &lt;ada&gt; shares"))
            #expect(try await fixture.deeds().first == "private.look \(people.ada) as \(people.ben)")
            let record = try await browser.get("\(base)/records/milk?\(look)")
            #expect(record.status == 200 && !record.text.contains("danger"))
            #expect(try await browser.get("\(base)/records/diary?\(look)").status == 404)
            let csrf = try await browser.get("/console/").csrf
            let tag = try #require(try record.hidden("tag"))
            let saved = try await browser.post(
                "\(base)/records/milk?\(look)",
                ["csrf": csrf, "tag": tag, "recordType": "Note", "v.text": "changed", "opened": "{}"])
            #expect(saved.text.contains("changes nothing"))
            let after = try await browser.get("\(base)/records/milk?db=\(people.ada)&zone=Lists")
            #expect(after.text.contains("below it") && !after.text.contains("changed"))
        }
    }

    @Test func `The page of a record names its share and says why somebody does not see it`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let people = try await share(fixture)
            let place = "db=\(people.ada)&zone=Lists"
            let page = try await browser.get("\(base)/records/milk?\(place)")
            #expect(page.text.contains("It belongs to the share") && page.text.contains("&lt;List&gt;"))
            let why = try await browser.get("\(base)/records/milk?\(place)&why=\(people.ben)")
            #expect(why.text.contains("ben cannot see &#39;milk&#39;") || why.text.contains("ben cannot see"))
            #expect(why.text.contains("has not accepted"))
            #expect(try await fixture.deeds().contains("private.look \(people.ada) milk for \(people.ben)"))
            let diary = try await browser.get("\(base)/records/diary?\(place)&why=\(people.ben)")
            #expect(diary.text.contains("shares neither it nor the zone"))
            #expect(!diary.text.contains("It belongs to the share"))
            try await letIn(fixture)
            let table = try await browser.get("\(base)/access?why=\(people.ben)&record=milk&\(place)")
            #expect(table.text.contains("ben may read, and not change,") && table.text.contains("takes part"))
            #expect(table.text.contains("everybody who signed in"), "The grants of Note.")
            #expect(!table.text.contains("cloudkit.share"))
            #expect(try await browser.get("\(base)/access?why=_nobody&record=milk&\(place)").status == 404)
        }
    }

    @Test func `A list of shares goes on where a page ends, each once`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let people = try await share(fixture)
            // Many of the same moment: the place in the list is more than a time.
            try await fixture.store.write { store in
                let first = try #require(try store.shares(of: ConsoleFixture.tenant(), limit: 1).first)
                for number in 0..<120 {
                    try store.put(
                        ShareRow(
                            zone: first.zone, name: "x\(number)", database: first.database,
                            root: "r\(number)", createdAt: Int64(number / 60)))
                }
            }
            var address: String? = base + "/shares"
            var found: [String] = []
            while let next = address, found.count < 500 {
                let page = try await browser.get(next)
                found += page.text.matches(of: /the record (r\d+|list)</).map { String($0.1) }
                address = page.text.firstMatch(of: /rel="next" href="([^"]*)"/).map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            #expect(found.count == 121 && Set(found).count == 121 && found.first == "list")
            #expect(people.ada != people.ben)
        }
    }
}
