import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

@testable import RecordConsole

/// The pages of users, zones and changes, as an operator fills them.
@Suite struct ZonePageTests {
    private let base = ConsoleFixture.base

    @Test func `A user's zone is made, shows its changes, and goes`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            _ = try await browser.post(
                "/console/containers", ["csrf": csrf, "container": "iCloud.test"])
            let user = try await Users.add(
                "ada", to: ConsoleFixture.tenant(), store: fixture.store,
                environment: ConsoleFixture.environment)
            let db = FormValues.encoded(user.recordName)

            let users = try await browser.get(base + "/users")
            #expect(users.text.contains("<th scope=\"row\">ada</th>"))
            #expect(users.text.contains("\(base)/zones?db=\(db)"))

            let form = ["csrf": csrf, "db": user.recordName]
            let made = try await browser.post(base + "/zones", form.merging(["name": "A&B"]) { $1 })
            #expect(made.status == 303)
            let zones = try await browser.get("\(base)/zones?db=\(db)")
            #expect(zones.text.contains("<th scope=\"row\">A&amp;B</th>\n<td>custom</td>"))
            #expect(zones.text.contains(" selected>private of ada</option>"))

            var request = RecordsModifyRequest(operations: [
                RecordOperation(.create, RecordInput(recordName: "one", recordType: "Note")),
                RecordOperation(.create, RecordInput(recordName: "two", recordType: "Note")),
            ])
            request.zoneID = ZoneID(zoneName: "A&B")
            _ = try await fixture.ask(.recordsModify, request, owner: user.recordName)
            let tenant = try ConsoleFixture.tenant()
            let held = try await fixture.store.read(.short) { try $0.usage(of: tenant) }
            #expect(held.records == 2)
            let stored = NumberText.bytes(held.bytes)
            #expect(try await browser.get(base).text.contains("<dt>Stored</dt><dd>\(stored)</dd>"))
            let list = try await browser.get(base + "/users").text
            #expect(list.contains("zones</a> <span class=\"hint\">\(stored)</span>"))
            request.operations = [
                RecordOperation(.forceDelete, RecordInput(recordName: "one", recordType: nil))
            ]
            _ = try await fixture.ask(.recordsModify, request, owner: user.recordName)
            let changes = try await browser.get("\(base)/zones/A%26B?db=\(db)")
            #expect(changes.status == 200)
            #expect(
                changes.text.contains(
                    "<th scope=\"row\">one</th><td>Note</td>\n<td><span class=\"chip bad\">tombstone"))
            #expect(
                changes.text.contains(
                    "zone=A%26B\">two</a></th><td>Note</td>\n<td><span class=\"chip good\">live"))

            let gone = try await browser.post(base + "/zones/A%26B/delete", form)
            #expect(gone.status == 303)
            #expect(try await !browser.get("\(base)/zones?db=\(db)").text.contains("A&amp;B</th>"))
        }
    }
}
