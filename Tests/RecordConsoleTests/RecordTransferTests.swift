import Foundation
import RecordModel
import RecordServer
import RecordWire
import Testing

/// Files that are exported and imported, and what files may do to a server.
@Suite struct RecordTransferTests {
    private static let base = ConsoleFixture.base

    /// Records whose values a table can hold only with care.
    private static let records: [(name: String, fields: [(String, FieldValue)])] = [
        (
            "=name",
            [("t", .string("=HYPERLINK(\"http://evil\",\"x\")")), ("n", .int64(-5)), ("d", .double(4))]
        ),
        ("empty", []),
        (
            "lists",
            [
                ("words", .list([.string("a;b"), .string("c")], of: .string)),
                (
                    "refs",
                    .list([.reference(Reference(recordName: "x", action: .deleteSelf))], of: .reference)
                ),
                ("times", .list([.timestamp(.max), .timestamp(-1)], of: .timestamp)), ("t", .string("")),
            ]
        ),
        (
            "single",
            [
                ("words", .list([.string("plain"), .string("words")], of: .string)),
                ("ref", .reference(Reference(recordName: "x", action: .deleteSelf))),
                ("at", .timestamp(253_402_300_800_000)), ("b", .bytes([0xF8])),
                ("t", .string("'quoted\r\n\"text\"")),
            ]
        ),
        (
            "..",
            [("at", .timestamp(.min)), ("t", .string("'")), ("words", .list([.string(" ")], of: .string))]
        ),
        (
            "high",
            [
                ("place", .location(high)), ("ref", .reference(Reference(recordName: ".."))),
                ("d", .double(-0.5)),
            ]
        ),
    ]

    private static var high: Location {
        var place = Location(latitude: -1.5, longitude: 2)
        place.altitude = 99
        place.timestamp = 1_000
        return place
    }

    /// The form that the page proposes for a text, as a browser would send it.
    private func proposal(_ text: String, _ browser: Browser) async throws -> [String: String] {
        let page = try await browser.post(
            "\(Self.base)/records-import",
            ["csrf": try await browser.get("/console/").csrf, "type": "Note", "format": "csv", "text": text])
        #expect(page.status == 200, "\(page.text)")
        var form = ["csrf": page.csrf, "type": "Note", "format": "csv", "fingerprint": "f"]
        form["separator"] = try page.hidden("separator")
        form["header"] = try #require(try page.hidden("header")).replacing("&quot;", with: "\"")
        form["nameColumn"] = "recordName"
        for match in page.text.matches(of: /name="((?:column|field)\.\d+)" value="([^"]*)"/) {
            form["\(match.1)"] = "\(match.2)"
        }
        for match in page.text.matches(of: /name="(type\.\d+)"[^>]*>(.*?)<\/select>/) {
            let chosen = match.2.firstMatch(of: /<option selected>([^<]*)/).map { "\($0.1)" } ?? ""
            form["\(match.1)"] = chosen.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        }
        return form
    }

    private func part(
        _ form: [String: String], line: String, _ text: String, _ browser: Browser
    ) async throws -> Browser.Page {
        var parts = URLComponents()
        parts.queryItems = form.filter { $0.key != "csrf" }.map {
            URLQueryItem(name: $0.key, value: $0.value)
        }
        let settings = (parts.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        return try await browser.post(
            bytes: "\(settings)&line=\(line)&isLast=1\n\(text)", to: "\(Self.base)/records-import-part",
            headers: ["X-CSRF-Token": form["csrf"] ?? "", "Accept": "application/json"])
    }

    @Test func `A table saved by a German Excel is shown as it will be, and becomes numbers`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            func look(_ text: String, _ more: [String: String] = [:]) async throws -> Browser.Page {
                try await browser.post(
                    "\(Self.base)/records-import",
                    ["csrf": csrf, "type": "Ware", "format": "csv", "text": text].merging(more) { $1 })
            }
            let text = "recordName;preis;menge\r\na;1.234,50;3\r\nb;0,25;4\r\nc;1;zwei;5\r\n"
            // A look at a file is no deed, so the list of requests has nothing of it.
            let counted = fixture.history.count
            let page = try await look(text, ["encoding": "windows-1252"])
            #expect(fixture.history.count == counted)
            #expect(
                page.text.contains(
                    "The file is taken as written in windows-1252, separated by &#39;;&#39;, with decimal commas."
                )
                    || page.text.contains(
                        "The file is taken as written in windows-1252, separated by ';', with decimal commas."
                    ),
                "\(page.text)")
            #expect(page.text.contains("<span class=\"chip\">1234.50</span>"), "\(page.text)")
            #expect(page.text.contains("1 of the first 3 rows cannot be imported like this:"))
            #expect(page.text.contains("Line 4: The row has 4 cells, the heading has 3."))
            #expect(try page.hidden("decimal") == "comma" && page.hidden("separator") == "59")
            var form = [
                "csrf": csrf, "type": "Ware", "format": "csv", "fingerprint": "f", "separator": "59",
                "decimal": "comma", "nameColumn": "recordName",
                "header": "[\"recordName\",\"preis\",\"menge\"]",
            ]
            for (number, (name, type)) in [("recordName", "STRING"), ("preis", "DOUBLE"), ("menge", "INT64")]
                .enumerated()
            {
                form["column.\(number)"] = name
                form["field.\(number)"] = name
                form["type.\(number)"] = type
            }
            let answer = try await part(form, line: "1", text, browser)
            #expect(answer.text.contains("\"imported\":2,"), "\(answer.text)")
            let fields = try #require(try await fixture.fields(of: "a"))
            #expect(fields["preis"]?.object?["value"] == .double(1234.5), "\(fields)")
            // What was chosen counts, and nothing else is taken for text.
            let chosen = try await look("a,b;c\n1,2;3\n", ["separator": "44", "decimal": "point"])
            #expect(try chosen.hidden("separator") == "44" && chosen.hidden("decimal") == "point")
            #expect(chosen.text.contains("name=\"field.1\" value=\"bC\""), "\(chosen.text)")
            #expect(try await look("a;b", ["separator": "120"]).status == 400)
            let zip = try await look("PK\u{3}\u{4} and more")
            #expect(zip.status == 400 && zip.text.contains("save the sheet as CSV"))
        }
    }

    @Test func `A table gives the same records back`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save(Self.records)
            let browser = try await fixture.signedIn()
            let csv = try await browser.get("\(Self.base)/records-export?type=Note&format=csv")
            #expect(csv.text.contains("'=name,"), "\(csv.text)")
            #expect(csv.text.contains("\"'=HYPERLINK("), "\(csv.text)")
            #expect(
                csv.text.contains(",-5,") && csv.text.contains(",-0.5,"), "numbers stay numbers: \(csv.text)")
            var before: [String: JSONObject] = [:]
            for (name, _) in Self.records { before[name] = try await fixture.fields(of: name) }
            let gone = RecordsModifyRequest(
                operations: Self.records.map {
                    RecordOperation(.forceDelete, RecordInput(recordName: $0.name, recordType: nil))
                })
            _ = try await fixture.ask(.recordsModify, gone)
            let form = try await proposal(csv.text, browser)
            let answer = try await part(form, line: "1", csv.text, browser)
            #expect(answer.text.contains("\"imported\":\(Self.records.count),"), "\(answer.text)")
            for (name, _) in Self.records {
                let after = try #require(try await fixture.fields(of: name), "\(name)")
                let wanted = try #require(before[name])
                #expect(Set(after.members.map(\.key)) == Set(wanted.members.map(\.key)), "\(name)")
                for (key, value) in wanted.members {
                    #expect(after[key] == value, "\(name).\(key): \(csv.text)")
                }
            }
        }
    }

    @Test(arguments: [",", ";", "\t", "|"])
    func `Whatever separates the cells is found by the heading`(_ separator: String) async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("x", [("n", .int64(1)), ("text", .string(""))])])
            let browser = try await fixture.signedIn()
            let rows = [["recordName", "text", "n"], ["ada", "\"a\(separator)b, c; d\"", "3"]]
            let text = rows.map { $0.joined(separator: separator) }.joined(separator: "\r\n") + "\r\n"
            let answer = try await part(try await proposal(text, browser), line: "1", text, browser)
            #expect(answer.text.contains("\"imported\":1,"), "\(answer.text)")
            let fields = try await fixture.fields(of: "ada")
            #expect(fields?["text"]?.object?["value"] == .string("a\(separator)b, c; d"))
            #expect(fields?["n"]?.object?["value"] == .int(3))
        }
    }

    @Test func `The heading may stand behind blank lines`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("x", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let text = "\n\r\nrecordName,n\nada,3\n"
            let answer = try await part(try await proposal(text, browser), line: "1", text, browser)
            #expect(answer.text.contains("\"imported\":1,"), "\(answer.text)")
            #expect(answer.text.contains("\"problems\":[]"), "\(answer.text)")
            #expect(try await fixture.fields(of: "recordName") == nil)
            #expect(try await fixture.fields(of: "ada")?["n"]?.object?["value"] == .int(3))
        }
    }

    @Test func `No line and no moment of a client ends the server`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("x", [("n", .int64(1)), ("at", .timestamp(.min))])])
            let browser = try await fixture.signedIn()
            let form = try await proposal("recordName,n\nada,3\n", browser)
            for line in ["9223372036854775807", "0", "-1", "1099511627777", "many", "99999999999999999999"] {
                let answer = try await part(form, line: line, "ada,3\n\n\nbob,4\n", browser)
                #expect(
                    answer.status == 400 && answer.text.contains("BAD_REQUEST"), "\(line): \(answer.text)")
            }
            let last = try await part(form, line: "1099511627776", "ada,3\n\n\nbob,4\n", browser)
            #expect(last.text.contains("\"imported\":2,"), "\(last.text)")
            for page in ["records?type=Note", "records/x", "records-export?type=Note&format=csv"] {
                #expect(try await browser.get("\(Self.base)/\(page)").status == 200, "\(page)")
            }
        }
    }

    @Test func `Records of names that browsers take out of paths have addresses`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save(Self.records + [(".", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let list = try await browser.get("\(Self.base)/records?type=Note")
            let referrer = try await browser.get("\(Self.base)/records/high")
            for name in [".", ".."] {
                let path = "\(Self.base)/records/?name=\(name)"
                #expect(list.text.contains("href=\"\(path)\""), "\(name)")
                let page = try await browser.get(path)
                #expect(page.status == 200 && page.text.contains("<code>\(name)</code>"), "\(name)")
                #expect(page.text.contains("\(path)&amp;view=json"))
                #expect(page.text.contains("/delete-record?name=\(name)\""))
                #expect(try await browser.get("\(path)&view=json").text.contains("<textarea id=\"json\""))
                let saved = try await browser.post(
                    path, ["csrf": page.csrf, "tag": try #require(try page.hidden("tag")), "v.n": "7"])
                #expect(saved.status == 303 && saved.location == path, "\(saved.text)")
                #expect(try await fixture.fields(of: name)?["n"]?.object?["value"] == .int(7))
            }
            #expect(referrer.text.contains("href=\"\(Self.base)/records/?name=..\">Open</a>"))
        }
    }
}
