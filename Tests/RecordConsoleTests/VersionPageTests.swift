import RecordModel
import RecordStorageSQLite
import RecordWire
import Testing

/// What a record was, and the deleted records of a type.
@Suite struct VersionPageTests {
    private static let base = ConsoleFixture.base

    @Test func `A version is shown field by field, put back, and noted`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("t", .string("<first>")), ("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let schema = try await browser.get("\(Self.base)/schema")
            let keep = ["csrf": schema.csrf, "count": "5", "days": "9", "keep": "1"]
            let set = try await browser.post("\(Self.base)/schema/types/Note/versions", keep)
            #expect(set.status == 303)
            #expect(try await fixture.deeds().first == "versions.set Note: 5 for 9 days")
            #expect(
                try fixture.store.schema(of: ConsoleFixture.tenant()).types["Note"]?.keeping
                    == VersionKeeping(count: 5, days: 9))
            try await fixture.save([("one", [("t", .string("second")), ("n", .int64(1))])])
            let page = try await browser.get("\(Self.base)/record-versions?name=one")
            #expect(page.text.contains("<td class=\"was\">&lt;first&gt;</td><td>second</td>"))
            #expect(page.text.contains("the record now") && page.text.contains("5 versions of each"))
            let form = [
                "csrf": page.csrf, "tag": try #require(try page.hidden("tag")),
                "versionTag": try #require(try page.hidden("versionTag")),
            ]
            // Somebody saves it meanwhile: nothing is put back over that.
            try await fixture.save([("one", [("t", .string("third"))])])
            _ = try await browser.post("\(Self.base)/record-versions?name=one", form)
            #expect(try await fixture.fields(of: "one")?["t"]?.object?["value"] == .string("third"))
            let again = try await browser.get("\(Self.base)/record-versions?name=one")
            var now = form
            now["tag"] = try again.hidden("tag")
            let done = try await browser.post("\(Self.base)/record-versions?name=one", now)
            #expect(done.location?.hasSuffix("/records/one") == true)
            #expect(try await fixture.fields(of: "one")?["t"]?.object?["value"] == .string("<first>"))
            #expect(try await fixture.deeds().first?.hasPrefix("record.restore one (change tag ") == true)
            for wrong in [["count": "0"], ["count": "101"], ["days": "366"], ["days": "x"]] {
                let answer = try await browser.post(
                    "\(Self.base)/schema/types/Note/versions", keep.merging(wrong) { $1 })
                #expect(answer.status == 400)
            }
        }
    }

    @Test func `Deleted records come back one by one, or all of a page`() async throws {
        try await ConsoleFixture.with { fixture in
            let names = ["a", "b", "c"]
            try await fixture.save(names.map { ($0, [("t", .string("text of \($0)"))]) })
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("\(Self.base)/schema").csrf
            _ = try await browser.post(
                "\(Self.base)/schema/types/Note/versions",
                ["csrf": csrf, "count": "5", "days": "9", "keep": "1"])
            let picked = names.map { "name=\($0)" }.joined(separator: "&")
            _ = try await browser.post(
                bytes: "csrf=\(csrf)&type=Note&\(picked)", to: "\(Self.base)/records-delete")
            #expect(try await fixture.deeds().first == "records.delete 3: a, b, c")
            let bin = try await browser.get("\(Self.base)/bin?type=Note")
            for name in names { #expect(bin.text.contains("text of \(name)")) }
            let rows = bin.text.matches(
                of: /name="name" value="([^"]*)"><input type="hidden" name="versionTag" value="([^"]*)"/)
            #expect(rows.count == 3)
            let items = rows.map { "name=\($0.1)&versionTag=\($0.2)" }.joined(separator: "&")
            let one = try await browser.post(
                bytes: "csrf=\(csrf)&\(items)&one=b", to: "\(Self.base)/bin?type=Note")
            #expect(try await browser.get(try #require(one.location)).text.contains("1 record is back."))
            #expect(try await fixture.fields(of: "b") != nil)
            #expect(try await fixture.fields(of: "a") == nil)
            let all = try await browser.post(bytes: "csrf=\(csrf)&\(items)", to: "\(Self.base)/bin?type=Note")
            #expect(all.status == 303)
            for name in names { #expect(try await fixture.fields(of: name) != nil) }
            #expect(
                try await browser.get("\(Self.base)/bin?type=Note").text.contains("No record of this type"))
            for path in ["bin?type=Note", "record-versions?name=a", "schema/types/Note/versions"] {
                #expect(try await browser.post("\(Self.base)/\(path)", ["csrf": "0"]).status == 403)
            }
        }
    }
}
