import Foundation
import RecordModel
import RecordWire
import Testing

/// The list of records, over a real server.
@Suite struct RecordsPagesTests {
    private static let base = ConsoleFixture.base

    /// Texts that are dangerous where they are not escaped.
    private static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "</textarea><b>x",
        "{{csrf}}", "{{{csrf}}}", "&lt;b&gt;", "</script><script>x", "javascript:alert(1)", "a\u{202E}b",
        // A mark before what means something in HTML makes one Character of both.
        "\u{600}</textarea\u{600}>\u{600}<hostile>", "\u{600}\"\u{600}>\u{600}<hostile>",
        "\u{600}' onhostile=\u{600}'x", "\u{600}\" onhostile=\u{600}\"x",
    ]

    @Test func `Going forward and back shows the same pages`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save((0..<230).map { ("r\($0)", [("n", .int64(Int64($0 % 7)))]) })
            let browser = try await fixture.signedIn()
            var page = try await browser.get("\(Self.base)/records?type=Note&s=n&d=desc&limit=50")
            #expect(page.status == 200)
            var forward = [page.names]
            while let next = page.link("Next →") {
                page = try await browser.get(next)
                forward.append(page.names)
            }
            #expect(forward.map(\.count) == [50, 50, 50, 50, 30])
            #expect(Set(forward.flatMap { $0 }).count == 230)
            var back = [page.names]
            while let previous = page.link("← Previous") {
                page = try await browser.get(previous)
                back.append(page.names)
            }
            #expect(Array(back.reversed()) == forward)
            let last = try await browser.get(try #require(page.link("Last")))
            #expect(last.link("Next →") == nil)
            #expect(last.names.last == forward.last?.last)
        }
    }

    @Test func `Where a page's records are gone there is another one`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save((0..<120).map { ("r\($0)", [("n", .int64(Int64($0)))]) })
            let browser = try await fixture.signedIn()
            let first = try await browser.get("\(Self.base)/records?type=Note&s=n&d=asc&limit=50")
            let next = try #require(first.link("Next →"))
            let second = try await browser.get(next)
            let previous = try #require(second.link("← Previous"))
            func delete(_ names: [String]) async throws {
                let operations = names.map {
                    RecordOperation(.forceDelete, RecordInput(recordName: $0, recordType: nil))
                }
                _ = try await fixture.ask(.recordsModify, RecordsModifyRequest(operations: operations))
            }
            try await delete(first.names)
            let gone = try await browser.get(previous)
            #expect(gone.status == 303)
            let there = try await browser.get(try #require(gone.location))
            #expect(there.names == second.names)
            #expect(there.link("Next →") != nil)
            #expect(there.text.contains("The records of that page were deleted."))
            // The other way: what came after the first page is gone.
            try await delete((100..<120).map { "r\($0)" })
            let after = try #require(there.link("Next →"))
            let end = try await browser.get(after)
            #expect(end.status == 303)
            #expect(try await browser.get(try #require(end.location)).names == second.names)
            try await delete(second.names)
            let empty = try await browser.get("\(Self.base)/records?type=Note&last=1")
            #expect(empty.status == 200 && empty.text.contains("There is no record of this type here yet."))
        }
    }

    @Test func `Hostile names and values are shown as text`() async throws {
        try await ConsoleFixture.with { fixture in
            let records = Self.hostile.enumerated().map { index, text in
                let name = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : "plain\(index)"
                return (
                    name,
                    [
                        ("t", .string(text)), ("list", .list([.string(text)], of: .string)),
                        ("ref", .reference(Reference(recordName: name))),
                    ] as [(String, FieldValue)]
                )
            }
            try await fixture.save(records)
            let browser = try await fixture.signedIn()
            var pages = [try await browser.get("\(Self.base)/records?type=Note&system=1")]
            for text in Self.hostile {
                let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                for query in [
                    "f=t&c=EQUALS&v=\(encoded)", "predicate=\(encoded)", "f=\(encoded)&c=EQUALS&v=1",
                    "type=\(encoded)",
                    "db=\(encoded)", "zone=\(encoded)", "after=\(encoded)", "s=\(encoded)",
                ] {
                    pages.append(try await browser.get("\(Self.base)/records?type=Note&\(query)"))
                }
                pages.append(try await browser.get("\(Self.base)/new-record?type=\(encoded)"))
            }
            for (name, _) in records {
                let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                for path in [
                    "records/\(encoded)", "records/\(encoded)?view=json", "delete-record?name=\(encoded)",
                ] {
                    let page = try await browser.get("\(Self.base)/\(path)")
                    #expect(page.status == 200, "\(path)")
                    pages.append(page)
                }
            }
            for page in pages {
                #expect(page.status < 500)
                for mark in [
                    "<script>alert", "<img src=x", "' onmouseover='", "</textarea><b>", "href=\"javascript:",
                    "<hostile", "' onhostile", "\" onhostile",
                ] {
                    // By code points, as a browser reads.
                    #expect(
                        page.text.range(of: mark, options: .literal) == nil,
                        "\(mark) in \(page.text.prefix(2_000))")
                }
            }
        }
    }

    @Test func `Filters, sorts and predicates of the address choose the rows`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save(
                (0..<20).map { number in
                    (
                        "r\(number)",
                        [
                            ("n", .int64(Int64(number))), ("t", .string("name \(number % 3)")),
                            ("at", .timestamp(Int64(number) * 86_400_000)),
                            ("place", .location(Location(latitude: Double(number), longitude: 0))),
                            ("tags", .list([.string("x\(number % 2)"), .string("y")], of: .string)),
                        ]
                    )
                })
            let browser = try await fixture.signedIn()
            let table: [(String, [Int])] = [
                ("f=n&c=GREATER_THAN&v=16&s=n&d=desc", [19, 18, 17]), ("f=n&c=IN&v=3%3B5&s=n", [3, 5]),
                ("f=t&c=BEGINS_WITH&v=name+2&f=n&c=LESS_THAN&v=6&s=n", [2, 5]),
                ("f=at&c=LESS_THAN&v=1970-01-03&s=n", [0, 1]), ("f=at&c=EQUALS&v=86400000", [1]),
                ("f=place&c=NEAR&v=2.0,+0,+1000", [2]),
                ("f=tags&c=LIST_CONTAINS&v=x1&f=n&c=LESS_THAN&v=4&s=n", [1, 3]),
                ("predicate=n+BETWEEN+%7B4%2C6%7D&s=n&d=desc", [6, 5, 4]),
                ("f=___recordName&c=EQUALS&v=r7", [7]),
                ("f=t&c=IS_MISSING&v=", []), ("f=&c=EQUALS&v=&f=n&c=EQUALS&v=9", [9]),
                ("f=___text&c=CONTAINS_ANY_TOKENS&v=1&f=n&c=LESS_THAN&v=5&s=n", [1, 4]),
            ]
            for (query, numbers) in table {
                let page = try await browser.get("\(Self.base)/records?type=Note&\(query)")
                #expect(page.status == 200, "\(query)")
                #expect(page.names == numbers.map { "r\($0)" }, "\(query)")
            }
            for (query, sentence) in [
                ("f=n&c=EQUALS&v=many", "is not of type INT64"), ("f=n&c=BEGINS_WITH&v=1", "cannot be asked"),
                ("predicate=n+%3D%3D", "cannot be read"), ("predicate=nn+%3D%3D+1", "Unknown field"),
                ("f=place&c=NEAR&v=here", "is not a location"), ("after=forged", "does not belong"),
            ] {
                let page = try await browser.get("\(Self.base)/records?type=Note&\(query)")
                #expect(page.status == 400, "\(query)")
                #expect(page.text.contains(sentence), "\(query)")
            }
        }
    }

    @Test func `An index that is missing can be made, and serves the query then`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save(
                (0..<30).map { ("r\($0)", [("n", .int64(Int64($0 % 5))), ("t", .string("t\($0)"))]) })
            let browser = try await fixture.signedIn()
            let query = "type=Note&f=n&c=EQUALS&v=3&s=t&d=desc"
            let before = try await browser.get("\(Self.base)/records?\(query)")
            #expect(before.text.contains("Add this index"))
            #expect(before.text.contains("An index on n, t"))
            let form = [
                "csrf": before.csrf, "type": "Note", "f": "n", "c": "EQUALS", "v": "3", "s": "t", "d": "desc",
            ]
            let made = try await browser.post("\(Self.base)/records-index", form)
            #expect(made.status == 303)
            let after = try await browser.get(try #require(made.location))
            #expect(after.text.contains("Served by an index on n, t"))
            #expect(after.names == before.names)
            #expect(try await fixture.deeds().first == "index.make Note: n, t")
            let again = try await browser.post(
                "\(Self.base)/records-index", form.merging(["csrf": after.csrf]) { $1 })
            #expect(again.status == 303)
            let hopeless = try await browser.post(
                "\(Self.base)/records-index",
                ["csrf": after.csrf, "type": "Note", "predicate": "t CONTAINS 'x'"])
            #expect(hopeless.status == 400)
        }
    }

    @Test func `What was exported can be imported`() async throws {
        try await ConsoleFixture.with { fixture in
            let fields: [(String, FieldValue)] = [
                ("t", .string("a \"quoted\", text\nof two lines ☃")), ("n", .int64(-7)), ("d", .double(1.5)),
                ("at", .timestamp(1_234_567)), ("ref", .reference(Reference(recordName: "other"))),
                ("place", .location(Location(latitude: 1.5, longitude: -2))), ("b", .bytes([1, 2, 3])),
                ("list", .list([.string("x"), .string("y")], of: .string)),
            ]
            try await fixture.save([("one", fields), ("two", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let csv = try await browser.get("\(Self.base)/records-export?type=Note&format=csv")
            #expect(csv.headers["content-disposition"] == "attachment; filename=\"Note.csv\"")
            let lines = try await browser.get("\(Self.base)/records-export?type=Note&format=jsonl")
            #expect(lines.text.split(separator: "\n").count == 2)
            let before = try await fixture.fields(of: "one")
            for (format, text) in [("csv", csv.text), ("jsonl", lines.text)] {
                let page = try await browser.post(
                    "\(Self.base)/records-import",
                    ["csrf": try await csrf(browser), "type": "Note", "format": format, "text": text])
                #expect(page.status == 200)
                var form = ["csrf": page.csrf, "type": "Note", "format": format, "text": text]
                form["header"] = try #require(try page.hidden("header")).replacingOccurrences(
                    of: "&quot;", with: "\"")
                if format == "csv" { form["nameColumn"] = "recordName" }
                for name in ["column", "field"] {
                    for match in page.text.matches(of: try Regex(#"name="(\#(name)\.\d+)" value="([^"]*)""#))
                    {
                        form["\(match[1].substring ?? "")"] = "\(match[2].substring ?? "")"
                    }
                }
                for match in page.text.matches(of: /name="(type\.\d+)"[^>]*>(.*?)<\/select>/) {
                    form["\(match.1)"] =
                        match.2.firstMatch(of: /<option selected>([^<]+)/).map {
                            Browser.Page.unescaped("\($0.1)")
                        } ?? ""
                }
                let gone = RecordsModifyRequest(
                    operations: [
                        RecordOperation(.forceDelete, RecordInput(recordName: "one", recordType: nil))
                    ])
                _ = try await fixture.ask(.recordsModify, gone)
                let done = try await browser.post("\(Self.base)/records-import-all", form)
                #expect(done.text.contains("2 records imported"), "\(format): \(done.text)")
                #expect(try await fixture.deeds().first == "records.import 2 rows of Note")
                let after = try #require(try await fixture.fields(of: "one"), "\(format)")
                for (key, value) in before?.members ?? [] {
                    #expect(after[key] == value, "\(format) \(key)")
                }
            }
        }
    }

    @Test func `Sorting leaves the panel of filters as it is`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("n", .int64(1))])])
            let browser = try await fixture.signedIn()
            let sorted = try await browser.get("\(Self.base)/records?type=Note&s=n&d=desc")
            #expect(!sorted.text.contains("<details open>"))
            #expect(sorted.text.contains("<span class=\"chip\">n ↓</span>"))
            let filtered = try await browser.get("\(Self.base)/records?type=Note&f=n&c=EQUALS&v=1")
            #expect(filtered.text.contains("<details open>"))
            let bar = try #require(sorted.text.range(of: "id=\"picked\"")?.lowerBound)
            let table = try #require(sorted.text.range(of: "<table>")?.lowerBound)
            #expect(bar < table, "what is done with the selected rows stands above them")
        }
    }

    private func csrf(_ browser: Browser) async throws -> String { try await browser.get("/console/").csrf }

    @Test func `A part of a file is imported up to its last whole row, and bad rows are told`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let token = try await csrf(browser)
            let settings =
                "type=Note&format=csv&fingerprint=f&nameColumn=id&header=%5B%22id%22%2C%22n%22%5D"
                + "&column.0=id&field.0=id&column.1=n&field.1=n&type.1=INT64"
            let rows = "id,n\na,1\nb,many\nc,3\nd"
            let answer = try await browser.post(
                bytes: "\(settings)&line=1\n\(rows)", to: "\(Self.base)/records-import-part",
                headers: ["X-CSRF-Token": token, "Accept": "application/json"])
            let json = try #require(try JSONReader.read(Array(answer.text.utf8)).object)
            #expect(json["imported"]?.int == 2)
            #expect(json["consumed"]?.int == Int64(rows.utf8.count - 1))
            #expect(json["nextLine"]?.int == 5)
            #expect(json["problems"]?.array?.first?.object?["line"]?.int == 3)
            #expect(try await fixture.fields(of: "c") != nil)
            #expect(try await fixture.fields(of: "b") == nil)
            let rest = try await browser.post(
                bytes: "\(settings)&line=5&isLast=1\nd,4", to: "\(Self.base)/records-import-part",
                headers: ["X-CSRF-Token": token, "Accept": "application/json"])
            #expect(rest.text.contains("\"imported\":1"))
            let forged = try await browser.post(
                bytes: "\(settings)\nx,1", to: "\(Self.base)/records-import-part")
            #expect(forged.status == 403)
        }
    }

    @Test(arguments: [false, true])
    func `Rows without a name in the column of names are refused, or get one that stays the same`(
        _ makesNames: Bool
    ) async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let token = try await csrf(browser)
            let look = try await browser.post(
                "\(Self.base)/records-import",
                ["csrf": token, "type": "Note", "format": "csv", "text": "id,n\na,1\n,2\nc,3\n"])
            #expect(look.text.contains("name=\"makeNames\""))
            var form = [
                "csrf": token, "type": "Note", "format": "csv", "text": "id,n\na,1\n,2\nc,3\n",
                "nameColumn": "id", "fingerprint": "f0", "header": "[\"id\",\"n\"]", "column.0": "id",
                "field.0": "id", "column.1": "n", "field.1": "n", "type.1": "INT64",
            ]
            form["makeNames"] = makesNames ? "1" : nil
            // Twice, as after a part of the file was sent again.
            for _ in 0..<2 {
                let done = try await browser.post("\(Self.base)/records-import-all", form)
                #expect(done.text.contains("\(makesNames ? 3 : 2) records imported"), "\(done.text)")
                #expect(done.text.contains("Line 3: id: The record name is missing.") == !makesNames)
            }
            let list = try await browser.get("\(Self.base)/records?type=Note")
            #expect(list.names.count == (makesNames ? 3 : 2))
            #expect(list.names.contains("import-f0-0000000003") == makesNames)
        }
    }

    @Test func `People read the same names of types on every page, those of the schema's text`() async throws
    {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let token = try await csrf(browser)
            let declared = [
                "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "REFERENCE", "ASSET", "LOCATION",
            ].flatMap { [$0, "LIST<\($0)>"] }
            let fields = declared.enumerated().map { "f\($0.offset) \($0.element)" }.joined(separator: ", ")
            try await browser.makeSchema("DEFINE SCHEMA RECORD TYPE All ( \(fields) );", token)
            for path in ["schema", "schema/new", "schema/text", "new-record?type=All", "records?type=All"] {
                let text = Browser.Page.unescaped(try await browser.get("\(Self.base)/\(path)").text)
                #expect(!text.contains("ASSETID"), "\(path)")
                #expect(!text.contains("_LIST\""), "\(path)")
                for name in declared where path != "records?type=All" {
                    #expect(text.contains(name), "\(path) lacks \(name)")
                }
            }
        }
    }
}
