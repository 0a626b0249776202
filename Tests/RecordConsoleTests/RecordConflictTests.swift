import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordConsole

/// Two people save one record: what only one of them changed is merged, the rest is asked for.
@Suite struct RecordConflictTests {
    private static let base = ConsoleFixture.base

    @Test func `What only one side changed is merged without a question`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("t", .string("old")), ("n", .int64(1)), ("d", .double(1.5))])])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            try await fixture.save([("one", [("t", .string("old")), ("n", .int64(7))])])
            let form = try page.opened().merging(["v.t": "mine", "v.n": "1", "v.d": "1.5"]) { $1 }
            let saved = try await browser.post("\(Self.base)/records/one", form)
            #expect(saved.status == 303, "\(saved.text)")
            let fields = try #require(try await fixture.fields(of: "one"))
            #expect(fields["t"]?.object?["value"] == .string("mine"))
            #expect(fields["n"]?.object?["value"] == .int(7))
            #expect(fields["d"] == nil)
            let next = try await browser.get(try #require(saved.location))
            #expect(
                next.text.contains("Saved. Kept as changed meanwhile: n, d.") || next.text.contains(": d, n.")
            )
        }
    }

    @Test(arguments: [["t": "mine", "n": "theirs"], ["t": "theirs", "n": "mine"]], [false, true])
    func `Fields that both changed are chosen one by one`(
        _ picks: [String: String], _ isJSON: Bool
    ) async throws {
        try await ConsoleFixture.with { fixture in
            let start: [(String, FieldValue)] = [
                ("t", .string("old")), ("n", .int64(1)), ("u", .string("u")),
            ]
            try await fixture.save([("one", start)])
            let browser = try await fixture.signedIn()
            let path = "\(Self.base)/records/one" + (isJSON ? "?view=json" : "")
            let page = try await browser.get(path)
            try await fixture.save([
                ("one", [("t", .string("<theirs>")), ("n", .int64(2)), ("u", .string("u"))])
            ])
            let typed =
                isJSON
                ? ["json": #"{"t": {"value": "mine & mine"}, "n": {"value": 3}, "u": {"value": "new"}}"#]
                : ["v.t": "mine & mine", "v.n": "3", "v.u": "new"]
            let conflict = try await browser.post(path, try page.opened().merging(typed) { $1 })
            #expect(conflict.status == 409)
            for text in ["mine &amp; mine", "&lt;theirs&gt;", "Both began with", "old"] {
                #expect(conflict.text.contains(text), "\(text)")
            }
            #expect(conflict.text.contains("<strong>u</strong>"))
            // Nothing is chosen for the person.
            #expect(!conflict.text.contains(" checked"))
            var choice = try conflict.opened()
            choice["changes"] = try conflict.hidden("changes")
            for (name, pick) in picks { choice["pick." + name] = pick }
            #expect(try await browser.post(path, choice).status == 303)
            let fields = try #require(try await fixture.fields(of: "one"))
            let isMine = { (name: String) in picks[name] == "mine" }
            #expect(fields["t"]?.object?["value"] == .string(isMine("t") ? "mine & mine" : "<theirs>"))
            #expect(fields["n"]?.object?["value"] == .int(isMine("n") ? 3 : 2))
            #expect(fields["u"]?.object?["value"] == .string("new"))
        }
    }

    @Test func `A choice that comes too late is asked for again`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("t", .string("old"))])])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            try await fixture.save([("one", [("t", .string("second"))])])
            let form = try page.opened().merging(["v.t": "mine"]) { $1 }
            let conflict = try await browser.post("\(Self.base)/records/one", form)
            try await fixture.save([("one", [("t", .string("third"))])])
            var choice = try conflict.opened()
            choice["changes"] = try conflict.hidden("changes")
            choice["pick.t"] = "mine"
            let again = try await browser.post("\(Self.base)/records/one", choice)
            #expect(again.status == 409)
            #expect(again.text.contains("third"))
            #expect(try await fixture.fields(of: "one")?["t"]?.object?["value"] == .string("third"))
        }
    }

    @Test func `A form that hides what it began with overwrites nothing`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("t", .string("old"))])])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            try await fixture.save([("one", [("t", .string("theirs"))])])
            for opened in ["", "no JSON"] {
                let form = try page.opened().merging(["v.t": "mine", "opened": opened]) { $1 }
                #expect(try await browser.post("\(Self.base)/records/one", form).status == 400)
            }
            #expect(try await fixture.fields(of: "one")?["t"]?.object?["value"] == .string("theirs"))
        }
    }

    @Test func `What was typed survives that the record was deleted`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("one", [("t", .string("old"))])])
            let browser = try await fixture.signedIn()
            let page = try await browser.get("\(Self.base)/records/one")
            _ = try await fixture.ask(
                .recordsModify,
                RecordsModifyRequest(
                    operations: [
                        RecordOperation(.forceDelete, RecordInput(recordName: "one", recordType: nil))
                    ]))
            let form = try page.opened().merging(["v.t": "typed for an hour"]) { $1 }
            let gone = try await browser.post("\(Self.base)/records/one", form)
            #expect(gone.status == 404)
            #expect(gone.text.contains("typed for an hour"))
            let made = try await browser.post(
                "\(Self.base)/new-record",
                ["csrf": gone.csrf, "recordType": "Note", "name": "one", "v.t": "typed for an hour"])
            #expect(made.status == 303)
            #expect(
                try await fixture.fields(of: "one")?["t"]?.object?["value"] == .string("typed for an hour"))
        }
    }

    @Test(arguments: Seed.some(5))
    func `Merging takes a change of either side, and asks only where both differ`(seed: Seed) {
        var random = seed.random
        let names = ["a", "b", "c", "d", "e", "f"]
        let type = RecordType(name: "Note", id: 1)
        func pick() -> Int64? { random.oneIn(2) ? Int64(random.int(0...2)) : nil }
        func object(_ values: [String: Int64]) -> JSONObject {
            JSONObject(
                values.sorted { $0.key < $1.key }.map {
                    ($0.key, WireField(value: .int($0.value), type: "INT64").object)
                })
        }
        for round in 0..<400 {
            var base: [String: Int64] = [:]
            var mine: [String: Int64] = [:]
            var theirs: [String: Int64] = [:]
            for name in names {
                base[name] = pick()
                mine[name] = random.oneIn(2) ? base[name] : pick()
                theirs[name] = random.oneIn(2) ? base[name] : pick()
            }
            let changes = names.filter { mine[$0] != base[$0] }.map { name in
                (name: name, field: WireField(value: mine[name].map { .int($0) } ?? .null))
            }
            let merge = RecordMerge(base: object(base), mine: changes, current: object(theirs), type: type)
            var result = theirs
            for change in merge.changes { result[change.name] = change.field.value.int }
            for name in names {
                let isConflict = merge.conflicts.contains { $0.name == name }
                let (was, left, right) = (base[name], mine[name], theirs[name])
                #expect(
                    isConflict == (left != was && right != was && left != right),
                    "round \(round), \(name)")
                let expected = isConflict || left == was ? right : left
                #expect(result[name] == expected, "round \(round), \(name)")
                #expect(
                    merge.theirs.contains(name) == (left == was && right != was),
                    "round \(round), \(name)")
            }
        }
    }
}
