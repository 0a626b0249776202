import Foundation
import RecordModel
import RecordWire
import Testing

/// One record: its form, its JSON, conflicts, deletion.
@Suite struct RecordPageTests {
    private static let base = ConsoleFixture.base

    @Test func `A form changes what was changed in it, and nothing else`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([
                (
                    "one",
                    [
                        ("t", .string("old")), ("n", .int64(1)), ("at", .timestamp(1_500)),
                        ("ref", .reference(Reference(recordName: "x", action: .deleteSelf))),
                        ("list", .list([.int64(1), .int64(2)], of: .int64)),
                        ("long", .string("line 1\r\nline 2")),
                    ]
                )
            ])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            #expect(page.text.contains("value=\"1970-01-01T00:00:01.500\""))
            let form = [
                "csrf": page.csrf, "tag": try #require(try page.hidden("tag")), "v.t": "new ☃", "v.n": "",
                "v.at": "1970-01-01T00:00:01.500", "v.ref": "x", "act.ref": "DELETE_SELF", "v.list": "1\r\n2",
                "v.long": "line 1\r\nline 2",
            ]
            let saved = try await browser.post("\(Self.base)/records/one", form)
            #expect(saved.status == 303)
            let fields = try #require(try await fixture.fields(of: "one"))
            #expect(fields["t"]?.object?["value"] == .string("new ☃"))
            #expect(fields["n"] == nil)
            #expect(fields["long"]?.object?["value"] == .string("line 1\r\nline 2"))
            #expect(fields["ref"]?.object?["value"]?.object?["action"] == .string("DELETE_SELF"))
            #expect(try await fixture.deeds().first?.hasPrefix("record.save one (change tag ") == true)
        }
    }

    @Test func `Lists of which a line does not say all are left as they are`() async throws {
        try await ConsoleFixture.with { fixture in
            let plain = Reference(recordName: "one")
            let bound = Reference(recordName: "one", action: .validate)
            let place = Location(latitude: 1, longitude: 2)
            var high = place
            high.altitude = 99
            try await fixture.save([
                (
                    "one",
                    [
                        ("t", .string("text")), ("plain", .list([.reference(plain)], of: .reference)),
                        ("bound", .list([.reference(bound)], of: .reference)),
                        ("places", .list([.location(place)], of: .location)),
                        ("high", .list([.location(high)], of: .location)),
                    ]
                )
            ])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            #expect(page.text.contains("name=\"v.plain\"") && page.text.contains("name=\"v.places\""))
            #expect(!page.text.contains("name=\"v.bound\"") && !page.text.contains("name=\"v.high\""))
            let before = try await fixture.fields(of: "one")
            let form = [
                "csrf": page.csrf, "tag": try #require(try page.hidden("tag")), "v.t": "new",
                "opened": try #require(try page.hidden("opened")),
                "v.plain": "one", "v.places": "1.0, 2.0", "v.bound": "one", "v.high": "1.0, 2.0",
            ]
            #expect(try await browser.post("\(Self.base)/records/one", form).status == 303)
            let after = try await fixture.fields(of: "one")
            #expect(after?["t"]?.object?["value"] == .string("new"))
            for name in ["plain", "bound", "places", "high"] {
                #expect(after?[name] == before?[name], "\(name)")
            }
        }
    }

    @Test func `Forms of other sessions are refused`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            for path in [
                "records/one", "new-record", "delete-record", "records-delete", "records-delete-all",
                "records-index",
                "records-mark", "records-import", "records-import-all", "records-import-part", "record-file",
            ] {
                let answer = try await browser.post("\(Self.base)/\(path)", ["name": "one", "csrf": "0"])
                #expect(answer.status == 403, "\(path)")
            }
            let stranger = Browser(url: fixture.url)
            #expect(try await stranger.get("\(Self.base)/records?type=Note").status == 303)
            #expect(try await stranger.get("\(Self.base)/records-export?type=Note&format=csv").status == 303)
            #expect(try await fixture.fields(of: "one") != nil)
        }
    }

    @Test func `Records are made and edited as JSON, and mistakes have a place`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let made = try await browser.post(
                "\(Self.base)/new-record",
                [
                    "csrf": csrf, "recordType": "Note", "name": "one",
                    "json": "{\"t\": {\"value\": \"x\", \"type\": \"STRING\"}}",
                ])
            #expect(made.status == 303, "\(made.text)")
            let page = try await browser.get("\(Self.base)/records/one?view=json")
            let tag = try #require(try page.hidden("tag"))
            let broken = try await browser.post(
                "\(Self.base)/records/one?view=json",
                ["csrf": csrf, "tag": tag, "json": "{\n  \"t\": oops\n}"])
            #expect(broken.status == 400)
            #expect(broken.text.contains("line 2, column 8"))
            #expect(broken.text.contains("  &quot;t&quot;: oops\n       ^"))
            let saved = try await browser.post(
                "\(Self.base)/records/one?view=json",
                ["csrf": csrf, "tag": tag, "json": "{\"n\": {\"value\": 5}}"])
            #expect(saved.status == 303)
            let fields = try #require(try await fixture.fields(of: "one"))
            #expect(fields["t"] == nil)
            #expect(fields["n"]?.object?["value"] == .int(5))
            let taken = try await browser.post(
                "\(Self.base)/new-record", ["csrf": csrf, "recordType": "Note", "name": "one", "v.n": "1"])
            #expect(taken.status == 400)
            let added = try await browser.post(
                "\(Self.base)/new-record",
                [
                    "csrf": csrf, "recordType": "Note", "name": "two", "new.name": "tags",
                    "new.type": "LIST<STRING>",
                    "new.value": "a;b",
                ])
            #expect(added.status == 303)
            #expect(
                try await fixture.fields(of: "two")?["tags"]?.object?["value"]
                    == .array([.string("a"), .string("b")]))
        }
    }

    @Test func `Deleting says what holds the record, and takes what should go with it`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("target", [("n", .int64(1))]), ("other", [("n", .int64(1))])])
            try await fixture.save([
                ("child", [("up", .reference(Reference(recordName: "target", action: .deleteSelf)))]),
                ("guard", [("up", .reference(Reference(recordName: "other", action: .validate)))]),
            ])
            let browser = try await fixture.signedIn()
            let ask = try await browser.get("\(Self.base)/delete-record?name=target")
            #expect(ask.text.contains("1 records refer to it with DELETE_SELF"))
            let form = [
                "csrf": ask.csrf, "name": "target", "type": "Note",
                "tag": try #require(try ask.hidden("tag")),
            ]
            #expect(try await browser.post("\(Self.base)/delete-record", form).status == 303)
            #expect(try await fixture.fields(of: "child") == nil)
            #expect(try await fixture.deeds().first == "record.delete target")
            let picked = try await browser.post(
                "\(Self.base)/records-delete", ["csrf": ask.csrf, "type": "Note", "name": "other"])
            let list = try await browser.get(try #require(picked.location))
            #expect(list.text.contains("0 records are deleted. 1 could not be: other"))
        }
    }

    @Test func `All that match are deleted in steps, once the type's name was typed`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save((0..<450).map { ("r\($0)", [("n", .int64(Int64($0 % 2)))]) })
            let browser = try await fixture.signedIn()
            let ask = try await browser.get("\(Self.base)/records-delete-all?type=Note&f=n&c=EQUALS&v=1")
            #expect(ask.text.contains("<strong>225</strong>"))
            var form = ["csrf": ask.csrf, "type": "Note", "f": "n", "c": "EQUALS", "v": "1"]
            #expect(try await browser.post("\(Self.base)/records-delete-all", form).status == 400)
            form["confirm"] = "Note"
            var steps = 0
            var next: String?
            repeat {
                form["after"] = next
                let step = try await browser.post(
                    "\(Self.base)/records-delete-all", form, headers: ["Accept": "application/json"])
                let json = try #require(try JSONReader.read(Array(step.text.utf8)).object)
                next = json["next"]?.string
                steps += 1
            } while next != nil && steps < 10
            #expect(steps == 2)
            let left = try await browser.get("\(Self.base)/records?type=Note&count=1")
            #expect(left.text.contains("225 in all"))
        }
    }

    @Test func `Looking at a private database is noted`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let owner = "_0123456789abcdef0123456789abcdef"
            let page = try await browser.get("\(Self.base)/records?type=Note&db=\(owner)")
            #expect(page.status == 200)
            #expect(page.names == [])
            #expect(try await fixture.deeds().first == "private.look \(owner)")
        }
    }

    @Test(arguments: [
        ("2026-11-21T10:00", 1_795_255_200_000), ("2026-11-21T10:00:05", 1_795_255_205_000),
        ("2026-11-21T10:00:05.25", 1_795_255_205_250),
    ])
    func `Moments may come with and without seconds, in UTC`(_ text: String, _ moment: Int64) async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("at", .timestamp(1))])])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            // Seconds that the browser asks for could not be left out.
            #expect(page.text.contains("type=\"datetime-local\" step=\"any\""))
            #expect(page.text.contains("id=\"field-0-zone\">UTC<"))
            let form = try page.opened().merging(["v.at": text]) { $1 }
            #expect(try await browser.post("\(Self.base)/records/one", form).status == 303)
            #expect(try await fixture.fields(of: "one")?["at"]?.object?["value"] == .int(moment))
        }
    }

    @Test func `Pages tell which operator saved a record, and apps do not`() async throws {
        try await ConsoleFixture.with { fixture in
            let ada = try await fixture.signedIn()
            let bob = try await fixture.signedIn(as: "bob")
            let form = ["csrf": try await ada.get("/console/").csrf, "recordType": "Note", "v.n": ""]
            for name in ["one", "two"] {
                let json = ["name": name, "json": "{\"n\": {\"value\": 1}}"]
                let made = try await ada.post("\(Self.base)/new-record", form.merging(json) { $1 })
                #expect(made.status == 303)
            }
            let page = try await bob.get("\(Self.base)/records/one")
            #expect(page.text.matches(of: /by operator ada</).count == 2)
            let edit = try page.opened().merging(["v.n": "2"]) { $1 }
            #expect(try await bob.post("\(Self.base)/records/one", edit).status == 303)
            let after = try await ada.get("\(Self.base)/records/one")
            #expect(after.text.matches(of: /by operator ada</).count == 1)
            #expect(after.text.matches(of: /by operator bob</).count == 1)
            let list = try await ada.get("\(Self.base)/records?type=Note&system=1")
            #expect(list.text.matches(of: />operator bob</).count == 1)
            #expect(list.text.matches(of: />operator ada</).count == 2)
            // What was saved without an entry is not ascribed to whoever came before.
            try await fixture.save([("one", [("n", .int64(3))])])
            let unknown = try await ada.get("\(Self.base)/records/one")
            #expect(unknown.text.matches(of: /by an operator</).count == 1)
            let answer = try await fixture.ask(
                .recordsLookup, RecordsLookupRequest(records: [.init(recordName: "two")]))
            let stamp = answer["records"]?.array?.first?.object?["modified"]?.object
            #expect(stamp?["userRecordName"]?.string == "_operator")
        }
    }

    @Test func `A record is copied as code that names it`() async throws {
        try await ConsoleFixture.with { fixture in
            let name = "it's \"one\""
            try await fixture.save([(name, [("t", .string("a \\(b)")), ("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let path = "\(Self.base)/records/it's%20%22one%22"
            let text = Browser.Page.unescaped(try await browser.get(path).text)
            #expect(text.contains(#"CKRecord.ID(recordName: "it's \"one\"")"#))
            #expect(text.contains(#"record["n"] = 1"#) || text.contains(#"record["t"] = "a \\(b)""#))
            #expect(text.contains(#"database.fetchRecords("it's \"one\"")"#))
            #expect(text.contains(#"it'\''s \"one\""#))
            #expect(text.contains("/public/records/modify?ckAPIToken=$API_TOKEN&ckWebAuthToken="))
        }
    }
}
