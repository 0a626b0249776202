import Foundation
import RecordConsole
import RecordEngine
import RecordModel
import RecordServer
import Testing

/// The pages about requests, as a browser without JavaScript sees them.
@Suite struct RequestPagesTests {
    /// An app's request that the service refuses; gives the id from its error.
    private func failure(_ browser: Browser) async throws -> String {
        let page = try await browser.post("/database/1/iCloud.test/production/public/records/query", [:])
        #expect(page.status == 401)
        return try #require(page.headers["x-apple-request-uuid"])
    }

    @Test func anIDFromAnAppsErrorOpensItsRequest() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let id = try await failure(browser)
            let list = try await browser.get("/console/requests?failed=1")
            #expect(list.text.contains("/console/requests/\(id)"))
            for text in [id, id.uppercased(), "  \(id) ", id.filter { $0 != "-" }] {
                let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let found = try await browser.get("/console/requests?id=\(query)")
                #expect(found.status == 303 && found.location == "/console/requests/\(id)")
            }
            let page = try await browser.get("/console/requests/\(id)")
            #expect(page.status == 200)
            for text in ["AUTHENTICATION_FAILED", "records/query", "iCloud.test", "production", "401"] {
                #expect(page.text.contains(text), "\(text)")
            }
            let part = try await browser.get("/console/requests?id=\(id.prefix(9))")
            #expect(part.status == 200 && part.text.contains("/console/requests/\(id)"))
        }
    }

    @Test func `The menu leads to the requests of the container that one looks at`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let id = try await failure(browser)
            _ = try await browser.post("/database/1/iCloud.other/production/public/records/query", [:])
            let page = try await browser.get("/console/c/iCloud.test/production/users")
            let link = try #require(page.text.firstMatch(of: /href="(\/console\/requests[^"]*)"/)).1
            let list = try await browser.get(String(link).replacing("&amp;", with: "&"))
            #expect(list.text.contains(id) && list.text.contains("Of iCloud.test, production alone."))
            #expect(!list.text.contains("iCloud.other"))
            #expect(try await browser.get("/console/requests?").text.contains("iCloud.other"))
        }
    }

    @Test func saysWhatIsNotRememberedAndWhatIsNoID() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let unknown = try await browser.get("/console/requests/00000000-0000-4000-8000-000000000000")
            #expect(unknown.status == 404 && unknown.text.contains("\(Limits.requestHistoryEntries)"))
            let none = try await browser.get("/console/requests/%3Cscript%3E")
            #expect(none.status == 404 && none.text.contains("&lt;script&gt;"))
            for query in ["id=xyz", "slow=fast", "container=a%20b"] {
                let page = try await browser.get("/console/requests?\(query)")
                #expect(page.status == 200 && page.text.contains("id=\"problem\""), "\(query)")
            }
        }
    }

    @Test func pagesInBothDirections() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            for _ in 0..<230 { _ = try await failure(browser) }
            let all = fixture.history.page(RequestFilter(), limit: 1_000).requests.map(\.id.description)
            var seen: [String] = []
            var page = try await browser.get("/console/requests")
            while true {
                seen += ids(page)
                guard let older = link("next", page) else { break }
                page = try await browser.get(older)
            }
            #expect(seen == all)
            let back = try #require(link("prev", page))
            page = try await browser.get(back)
            let count = all.count % 100 == 0 ? 100 : all.count % 100
            #expect(ids(page) == Array(all.dropLast(count).suffix(100)))
            let top = try #require(link("prev", page))
            let newest = try await browser.get(top)
            #expect(newest.status == 303, "the top of the list is the list")
        }
    }

    private func ids(_ page: Browser.Page) -> [String] {
        page.text.matches(of: /<a href="\/console\/requests\/([0-9a-f-]{36})">/).map { String($0.1) }
    }

    private func link(_ rel: String, _ page: Browser.Page) -> String? {
        for match in page.text.matches(of: /href="([^"]*)" rel="(prev|next)"/) where match.2 == rel {
            return match.1.replacingOccurrences(of: "&amp;", with: "&")
        }
        return nil
    }

    @Test func chartsShowWhatCame() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            _ = try await failure(browser)
            for span in RequestSpan.allCases {
                let page = try await browser.get("/console/charts?span=\(span.rawValue)")
                #expect(page.status == 200)
                #expect(page.text.contains("0 failed, 1 refused"))
                #expect(page.text.matches(of: /<figure/).count == 3)
                #expect(!page.text.contains("style="), "the page's policy allows no inline styles")
                #expect(!page.text.contains("nan") && !page.text.contains("inf\""))
            }
            #expect(try await browser.get("/console/charts?span=year").status == 200)
        }
    }

    @Test func chartsAreOfTheContainerThatIsLookedAt() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            _ = try await failure(browser)
            let page = try await browser.get(ConsoleFixture.base + "/schema")
            let query = "container=iCloud.test&amp;environment=development"
            for section in ["charts", "requests"] {
                #expect(page.text.contains("href=\"/console/\(section)?\(query)\""), "the menu's \(section)")
            }
            let all = try await browser.get("/console/charts")
            let other = try await browser.get("/console/charts?container=iCloud.other&environment=production")
            #expect(all.text.contains("0 failed, 1 refused") && !other.text.contains("1 refused"))
            #expect(other.text.contains("Of iCloud.other, production alone."))
            let id = "container=iCloud.other&amp;environment=production&amp;"
            #expect(other.text.contains("href=\"/console/requests?\(id)status=5\""))
            #expect(other.text.contains("href=\"/console/charts?\(id)span=week\""))
        }
    }

    @Test func tellsWhatProductionLacks() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let tenant = Tenant(container: try ContainerID("iCloud.club"), environment: .production)
            let text = try await failure(browser)
            let id = try #require(RequestID(text))
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            #expect(try await !browser.get("/console/requests").text.contains("Production refused"))
            for _ in 0..<3 {
                fixture.history.rejectedWrites.note(
                    [.field("<rating>", FieldType(.double), of: "Place")], of: tenant, time: now, request: id,
                    user: "_ada")
            }
            let page = try await browser.get("/console/requests")
            #expect(page.text.contains("Production refused"))
            #expect(page.text.contains("&lt;rating&gt;") && page.text.contains("3 requests"))
            #expect(page.text.contains("stratus schema deploy --container iCloud.club"))
            let overview = try await browser.get("/console/c/iCloud.club/development")
            #expect(overview.text.contains("&lt;rating&gt;"))
            let other = try await browser.get("/console/c/iCloud.test/production")
            #expect(other.status == 200 && !other.text.contains("&lt;rating&gt;"))
        }
    }

    @Test func whatProductionLacksCanBePutAway() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let id = try #require(RequestID(try await failure(browser)))
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            func note(_ field: String, _ container: String, at time: Int64) throws {
                fixture.history.rejectedWrites.note(
                    [.field(field, FieldType(.double), of: "Place")],
                    of: Tenant(container: try ContainerID(container), environment: .production), time: time,
                    request: id, user: nil)
            }
            try note("rating", "iCloud.club", at: now - 1)
            try note("stars", "iCloud.test", at: now - 1)
            let overview = try await browser.get("/console/c/iCloud.club/development")
            func value(_ name: String) throws -> String {
                let found = overview.text.matches(of: /name="([a-z]+)" value="([^"]*)"/)
                return String(try #require(found.first { $0.1 == name }?.2))
            }
            let form = [
                "csrf": try value("csrf"), "until": try value("until"), "to": try value("to"),
                "container": try value("container"),
            ]
            let stranger = try await browser.post(
                "/console/rejected/dismiss", form.merging(["csrf": "no"]) { $1 })
            #expect(stranger.status == 403)
            try note("later", "iCloud.club", at: try #require(Int64(value("until"))) + 1)
            let away = try await browser.post("/console/rejected/dismiss", form)
            #expect(away.status == 303 && away.location == "/console/c/iCloud.club/development")
            let left = try await browser.get("/console/requests").text
            #expect(!left.contains("rating"))
            #expect(left.contains("stars"), "it was another container's")
            #expect(left.contains("later"), "nobody had seen it")
            #expect(try await browser.get("/console/audit").text.contains("dismiss refused requests"))
            let elsewhere = try await browser.post(
                "/console/rejected/dismiss", form.merging(["to": "//evil.example"]) { $1 })
            #expect(elsewhere.location == "/console/")
        }
    }

    @Test func onlyOperatorsSeeRequests() async throws {
        try await ConsoleFixture.with { fixture async throws in
            let browser = Browser(url: fixture.url)
            for path in ["requests", "requests/live", "requests/1", "charts"] {
                let page = try await browser.get("/console/\(path)")
                #expect(page.status == 303)
            }
        }
    }
}
