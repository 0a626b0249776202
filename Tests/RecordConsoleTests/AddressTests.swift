import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire
import Testing

@testable import RecordConsole

/// Names and values that mean something in addresses or in HTML arrive on the other side of a link as they are.
@Suite struct AddressTests {
    /// Names of zones: the printable characters of ASCII are all allowed.
    private static let zones = [
        "A B", "A+B", "R", "R&D", "a b%", "50%41", "\"><evil", "#", "a?b=c", "a/b", "..", "x&zone=R",
        "'{{csrf}}'",
    ]
    /// Values of filters, which may be any text.
    private static let values = zones + ["ä", "\u{202E}cod", "\u{600}<evil>", "👩‍👩‍👧", "a\tb"]

    /// The names and decoded values of an address's query.
    private static func query(_ address: String) throws -> FormValues {
        let parts = Browser.Page.unescaped(address).split(separator: "?", maxSplits: 1)
        return try FormValues((parts.count > 1 ? parts[1] : "").utf8)
    }

    /// The addresses that a page leads or posts to.
    private static func addresses(_ page: Browser.Page) -> [String] {
        page.text.matches(of: /(?:href|action|data-[a-z]+)="(\/console\/c\/[^"]*)"/).map { String($0.1) }
    }

    private func fill(_ fixture: ConsoleFixture, owner: String) async throws {
        let zones = ZonesModifyRequest(
            operations: Self.zones.map { .init(isDelete: false, zoneID: ZoneID(zoneName: $0)) })
        let made = try await fixture.ask(.zonesModify, zones, owner: owner)
        #expect(made["zones"]?.array?.allSatisfy { $0.object?["serverErrorCode"] == nil } == true)
        for zone in Self.zones {
            var input = RecordInput(recordName: zone, recordType: "Note")
            input.fields = [("text", WireField(.string(zone)))]
            var request = RecordsModifyRequest(operations: [RecordOperation(.create, input)])
            request.zoneID = ZoneID(zoneName: zone)
            let answer = try await fixture.ask(.recordsModify, request, owner: owner)
            #expect(ErrorDictionary(json: answer["records"]?.array?.first?.object ?? JSONObject()) == nil)
        }
    }

    private func with(_ body: @Sendable (ConsoleFixture, Browser, String) async throws -> Void) async throws {
        try await ConsoleFixture.with { fixture in
            let user = try await Users.add(
                "ada", to: try ConsoleFixture.tenant(), store: fixture.store,
                environment: ConsoleFixture.environment)
            try await fill(fixture, owner: user.recordName)
            try await body(fixture, try await fixture.signedIn(), user.recordName)
        }
    }

    @Test func `Every link of a zone's pages leads into the same zone`() async throws {
        try await with { fixture, browser, owner in
            let list = try await browser.get("\(ConsoleFixture.base)/zones?db=\(owner)")
            let lists = try Self.addresses(list).filter {
                try $0.contains("/records") && Self.query($0)["zone"] != nil
            }
            #expect(Set(try lists.compactMap { try Self.query($0)["zone"] }).isSuperset(of: Self.zones))
            for zone in Self.zones {
                let start = try #require(try lists.first { try Self.query($0)["zone"] == zone })
                let records = try await browser.get(Browser.Page.unescaped(start) + "&type=Note")
                #expect(records.status == 200)
                #expect(records.names.map(Browser.Page.unescaped) == [zone])
                var seen: Set<String> = []
                var next = Self.addresses(records)
                // The pages that these lead to, and theirs.
                while let address = next.popLast(), seen.count < 40 {
                    let values = try Self.query(address)
                    let path = String(Browser.Page.unescaped(address).prefix { $0 != "?" })
                    guard values["db"] != nil, ["record", "import"].contains(where: path.contains) else {
                        continue
                    }
                    guard seen.insert(path).inserted else { continue }
                    #expect(values["zone"] == zone && values["db"] == owner, "\(zone): \(address)")
                    guard !path.contains("export"), !path.contains("-check"), !path.contains("-count") else {
                        continue
                    }
                    let page = try await browser.get(Browser.Page.unescaped(address))
                    #expect(page.status < 500, "\(address)")
                    if page.status == 200 { next += Self.addresses(page) }
                    for hidden in ["zone"] where page.text.contains("name=\"zone\" value=") {
                        #expect(try page.hidden(hidden) == zone, "\(address)")
                    }
                }
                #expect(seen.count > 5, "\(zone): \(seen)")
            }
        }
    }

    @Test func `A record made and deleted from a zone's page is one of that zone`() async throws {
        try await with { fixture, browser, owner in
            for (zone, other) in [("A+B", "A B"), ("R&D", "R"), ("x&zone=R", "R")] {
                let page = try await browser.get(
                    ConsoleFixture.base + "/records"
                        + RecordsAddress.query([("db", owner), ("zone", zone), ("type", "Note")]))
                let link = try #require(
                    page.text.firstMatch(of: /<a class="button primary" href="([^"]*)">New record/)?.1)
                let form = try await browser.get(Browser.Page.unescaped(String(link)))
                let action = try #require(
                    form.text.firstMatch(of: /<form method="post" action="([^"]*new-record[^"]*)"/)?.1)
                let made = try await browser.post(
                    multipart: [
                        ("csrf", form.csrf), ("recordType", "Note"), ("name", "made"), ("json", "{}"),
                    ], to: Browser.Page.unescaped(String(action)))
                #expect(made.status == 303, "\(made.text.suffix(600))")
                for (name, isThere) in [(zone, true), (other, false)] {
                    var request = RecordsLookupRequest(records: [.init(recordName: "made")])
                    request.zoneID = ZoneID(zoneName: name)
                    let answer = try await fixture.ask(.recordsLookup, request, owner: owner)
                    let record = answer["records"]?.array?.first?.object
                    #expect((record?["serverErrorCode"] == nil) == isThere, "\(name)")
                }
            }
        }
    }

    @Test func `The values of a query stay what they are in every link of its page`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([("a", [("text", .string("x"))])])
            let browser = try await fixture.signedIn()
            for value in Self.values {
                let page = try await browser.get(
                    ConsoleFixture.base + "/records"
                        + RecordsAddress.query([
                            ("type", "Note"), ("f", "text"), ("c", "NOT_EQUALS"), ("v", value),
                            ("predicate", ""),
                        ]))
                #expect(page.status == 200, "\(value)")
                #expect(page.names == ["a"], "\(value)")
                let carrying = try Self.addresses(page).map(Self.query).filter { $0["f"] != nil }
                #expect(!carrying.isEmpty)
                for values in carrying {
                    #expect(values.text("v").map { Array($0.utf8) } == Array(value.utf8), "\(value)")
                }
                #expect(!page.text.contains("<evil"))
            }
            for value in Self.values {
                // What names nothing is refused, or shown as text.
                let name = FormValues.encoded(value)
                for path in [
                    "\(ConsoleFixture.base)/records?type=\(name)", "\(ConsoleFixture.base)/zones?db=\(name)",
                    "\(ConsoleFixture.base)/zones/\(name)", "/console/requests?user=\(name)&code=\(name)",
                    "/console/charts?container=\(name)&environment=production", "/console/enter/\(name)",
                    "\(ConsoleFixture.base)/assets?after=\(name)", "/console/audit?before=\(name)",
                ] {
                    let page = try await browser.get(path)
                    #expect(page.status < 500, "\(path)")
                    #expect(!page.text.contains("<evil"), "\(path)")
                }
            }
        }
    }

    /// What may be a part of an address in a template: whole addresses, and what is encoded for one.
    private static let addressValues: Set<String> = [
        // Whole addresses, made by code.
        "action", "address", "base", "binHref", "firstReceivers", "firstSubscriptions", "nextReceivers",
        "nextSubscriptions", "removeAction", "settingHref", "testAction", "versionsAction", "versionsHref",
        "whyAction", "byCode", "byRoute", "byUser", "checkHref", "chooser.typeHref", "containerHref",
        "countHref", "deleteAction",
        "deleteHref", "disableAction", "pictureHref", "belowHref", "logo", "revealHref", "style", "endAction",
        "everywhere", "failedHref",
        "fileAction", "importHref", "lookHref", "newHref",
        "first", "formHref", "here",
        "href",
        "jsonHref", "last", "list", "listHref", "listQuery", "live", "newer",
        "newest",
        "next", "older", "otherBase", "page", "partAction", "previous", "recordHref", "records",
        "recordsPath",
        "refusedHref", "requestHref", "runAction", "schema", "sessionsAction", "targetHref", "zones",
        // Parts: percent-encoded, or of digits and letters alone.
        "encoded", "typeName", "id", "request",
    ]

    @Test func `Templates put only what is encoded into addresses`() throws {
        for file in Templates.files {
            let text = String(decoding: file.text, as: UTF8.self)
            for attribute in text.matches(of: /\s(?:href|src|action|formaction)="([^"]*)"/) {
                for value in attribute.1.matches(of: /\{\{([^}]*)\}\}/) {
                    #expect(Self.addressValues.contains(String(value.1)), "\(file.name): \(attribute.0)")
                }
            }
        }
    }
}
