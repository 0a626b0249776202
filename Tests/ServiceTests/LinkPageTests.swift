import CurlAccess
import Foundation
import RecordConsole
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The page of a link, over real sockets: what strangers learn, and what people do on it.
@Suite struct LinkPageTests {
    private static let title = "Groceries <b>& more"
    /// A PNG of one pixel.
    private static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    /// Olga, who shares what she has.
    private struct Owner {
        let people: PeopleFixture
        let name: String

        func send(_ endpoint: Endpoint, _ body: String, in scope: DatabaseScope = .private) async throws
            -> JSONValue
        {
            let token = try await people.fixture.webToken(of: name)
            let answer = await people.fixture.service.answer(
                ServiceCall(
                    endpoint: endpoint, tenant: people.fixture.tenant, scope: scope,
                    credentials: Credentials(apiToken: ServiceFixture.apiToken, webAuthToken: token),
                    body: Array(body.utf8), requestID: "test"))
            let json = try JSONReader.read(answer.body)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            return json
        }

        /// Shares a record with one below it; the link.
        @discardableResult
        func share(_ root: String, _ terms: String) async throws -> String {
            _ = try await send(
                .zonesModify,
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
            let saved = try await send(
                .recordsModify,
                """
                {"zoneID":{"zoneName":"Z"},"atomic":true,"operations":[
                 {"operationType":"create","record":{"recordType":"List","recordName":"\(root)","createShortGUID":true,
                   "fields":{"name":{"value":"Weekend"},"count":{"value":7}}}},
                 {"operationType":"create","record":{"recordType":"Item","recordName":"\(root)-item",
                   "parent":{"recordName":"\(root)"},"fields":{"name":{"value":"Bread & butter"}}}},
                 {"operationType":"create","record":{"recordType":"cloudkit.share","recordName":"share-\(root)",
                   "forRecord":{"recordName":"\(root)"},"fields":{"cloudkit.title":{"value":"\(title)"},
                     "cloudkit.thumbnailImageData":{"value":"\(picture)","type":"BYTES"}},\(terms)}}]}
                """)
            let records = saved["records"].array ?? []
            return try #require(records.first?["shortGUID"].string, "\(saved)")
        }

        func change(_ root: String, _ terms: String) async throws {
            let saved = try await send(
                .recordsModify,
                """
                {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":
                 {"recordType":"cloudkit.share","recordName":"share-\(root)",\(terms)}}]}
                """)
            #expect(saved["records"].array?.first?["serverErrorCode"] == .null, "\(saved)")
        }

        func participants(_ root: String) async throws -> [JSONValue] {
            let found = try await send(
                .recordsLookup,
                #"{"zoneID":{"zoneName":"Z"},"records":[{"recordName":"share-\#(root)"}]}"#)
            return found["records"].array?.first?["participants"].array ?? []
        }

        func standing(_ root: String) async throws -> [String] {
            try await participants(root).dropFirst().map { $0["acceptanceStatus"].string ?? "" }
        }
    }

    private static func with(_ body: (PeopleFixture, Owner) async throws -> Void) async throws {
        try await PeopleFixture.with { people in try await body(people, Owner(people: people, name: "olga")) }
    }

    private static let invitation =
        #""participants":[{"userIdentity":{"lookupInfo":{"emailAddress":"ADA@example.org"}},"permission":"READ_WRITE"}]"#

    // MARK: Strangers

    private struct Reply: Equatable {
        let status: Int
        let headers: [String: String]
        let body: String
    }

    /// What is answered at an address, without ids: the link, the code of forms, the request's.
    private static func reply(_ address: String, _ link: String, cookie: String) async throws -> Reply {
        var request = CurlRequest(url: address, to: .memory(maximumBytes: 1_000_000))
        request.followsRedirections = false
        request.headers["Cookie"] = cookie
        let answer = try await CurlClient(connectionsPerHost: 1).send(request)
        var headers = answer.headers.mapValues { $0.replacing(link, with: "LINK") }
        headers["x-apple-request-uuid"] = nil
        headers["date"] = nil
        headers["set-cookie"] = headers["set-cookie"]?.replacing(/=[0-9a-f]{64}/, with: "=COOKIE")
        let body = String(decoding: answer.body, as: UTF8.self).replacing(link, with: "LINK")
            .replacing(/name="csrf" value="[0-9a-f]*"/, with: "csrf")
        return Reply(status: answer.status, headers: headers, body: body)
    }

    @Test func `Links that lead nowhere, have ended or are for others have the same page byte for byte`()
        async throws
    {
        try await Self.with { people, olga in
            let bob = #""participants":[{"userIdentity":{"lookupInfo":{"emailAddress":"bob@example.org"}}}]"#
            var links = ["0sT" + String(repeating: "A", count: 22), try await olga.share("others", bob)]
            links.append(try await olga.share("ended", Self.invitation + #","linkEndsAt":1000"#))
            links.append(try await olga.share("revoked", Self.invitation))
            _ = try await olga.send(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceDelete","record":{"recordName":"share-revoked"}}]}"#
            )
            links.append(
                try await olga.share("anonymous", #""publicPermission":"NONE","publicAnonymousAccess":true"#))
            let (ada, _) = try await people.visitor()
            for cookie in ["", ada.cookie] {
                for (path, isRedirect) in [
                    (people.url.absoluteString + "/share/", true), (people.page + "/share/", false),
                ] {
                    var replies: [Reply] = []
                    for link in links {
                        replies.append(try await Self.reply(path + link, link, cookie: cookie))
                    }
                    let first = try #require(replies.first)
                    #expect(first.status == (isRedirect ? 303 : 200))
                    for (link, reply) in zip(links, replies) { #expect(reply == first, "\(link)") }
                    #expect(!first.body.contains("Groceries"))
                }
                for suffix in ["/picture", "/nothing"] {
                    for link in links {
                        let reply = try await Self.reply(
                            people.page + "/share/" + link + suffix, link, cookie: cookie)
                        #expect(reply.status == 404)
                    }
                }
            }
        }
    }

    @Test func `What is no link has no page, and no link is in the log`() async throws {
        try await Self.with { people, olga in
            let link = try await olga.share("root", Self.invitation)
            let visitor = PageVisitor()
            for wrong in ["", "/x", "/\(link)x", "/\(link)/x", "/..%2f\(link)", "/\(link)%00"] {
                let page = try await visitor.get(people.url.absoluteString + "/share" + wrong)
                #expect(page.status == 404, "\(wrong)")
            }
            #expect(try await visitor.get(people.url.absoluteString + "/share/" + link).status == 303)
            #expect(try await visitor.get(people.page + "/share/" + link).status == 200)
            #expect(!(try String(contentsOfFile: people.fixture.logPath, encoding: .utf8)).contains(link))
        }
    }

    // MARK: Invited people

    @Test func `Somebody who is invited signs in, comes back, accepts, looks and leaves`() async throws {
        try await Self.with { people, olga in
            let link = try await olga.share("root", Self.invitation)
            let visitor = PageVisitor()
            let start = try await visitor.get(people.url.absoluteString + "/share/" + link)
            let page = people.url.absoluteString + (try #require(start.location))
            let closed = try await visitor.get(page)
            let entrance = try #require(
                closed.text.firstMatch(of: /href="(\/sign-in\/[^"]*share=[^"]*)"/).map { String($0.1) })
            let address = people.url.absoluteString + entrance.replacing("&amp;", with: "&")
            var form = try await visitor.get(address).form(to: "/sign-in")
            form["address"] = PeopleFixture.address
            form["password"] = PeopleFixture.password
            let back = try await visitor.post(address, form)
            #expect(back.location?.contains("/share/" + link) == true, "\(back)")

            let open = try await visitor.get(page)
            #expect(open.text.contains("Groceries &lt;b&gt;&amp; more") && !open.text.contains("Bread"))
            #expect(open.text.contains("look at it and change it"))
            #expect(try await visitor.get(page + "/picture").status == 200)
            let path = String(page.dropFirst(people.url.absoluteString.count))
            let accept = try open.form(to: path + "/accept")
            #expect(try await visitor.post(page + "/accept", accept).status == 303)
            #expect(try await olga.standing("root") == ["ACCEPTED"])
            #expect(try await visitor.post(page + "/accept", accept).status == 303)
            #expect(try await olga.standing("root") == ["ACCEPTED"])
            let taken = try await visitor.get(page)
            #expect(taken.text.contains("Weekend") && taken.text.contains("Bread &amp; butter"))
            #expect(try await visitor.get(page + "?record=root-item").text.contains("Bread &amp; butter"))
            #expect(!(try await visitor.get(page + "?record=share-root").text.contains("Bread")))

            let leave = try taken.form(to: path + "/decline")
            #expect(try await visitor.post(page + "/decline", leave).status == 303)
            #expect(try await olga.standing("root") == ["UNSUBSCRIBED"])
            let left = try await visitor.get(page)
            #expect(left.text.contains("lets you come back") && !left.text.contains("Bread"))
            #expect(try await visitor.post(page + "/accept", accept).status == 303)
            #expect(try await olga.standing("root") == ["ACCEPTED"])
        }
    }

    @Test func `Whoever declines is seen to, before they ever came in`() async throws {
        try await Self.with { people, olga in
            let link = try await olga.share("root", Self.invitation)
            let (visitor, _) = try await people.visitor()
            let page = people.page + "/share/" + link
            let form = try await visitor.get(page).form(to: "/sign-in")
            // No other site's page sends the form.
            #expect(
                try await visitor.post(page + "/decline", form.merging(["csrf": "0"]) { $1 }).status == 403)
            #expect(try await olga.standing("root") == ["INVITED"])
            #expect(try await visitor.post(page + "/decline", form).status == 303)
            #expect(try await olga.standing("root") == ["UNSUBSCRIBED"])
        }
    }

    @Test func `Somebody without an account makes one by a mailed link, and comes back`() async throws {
        try await Self.with { people, olga in
            let eve = #""participants":[{"userIdentity":{"lookupInfo":{"emailAddress":"eve@example.org"}}}]"#
            let link = try await olga.share("root", eve)
            let path = try #require(
                try await people.accounts.invite("eve@example.org", to: people.fixture.tenant))
            let visitor = PageVisitor()
            let address = people.url.absoluteString + path + "&share=" + link
            var form = try await visitor.get(address).form(to: "/sign-in")
            form["password"] = "a raven of 1845 too"
            let done = try await visitor.post(address, form)
            #expect(done.location?.contains("/share/" + link) == true, "\(done)")
            let page = try await visitor.get(people.page + "/share/" + link)
            #expect(page.text.contains("Groceries"))
            // The address leads back to a link only, whatever stands there.
            var other = try await PageVisitor().get(people.page + "?share=//evil.example").form(
                to: "/sign-in")
            other["address"] = PeopleFixture.address
            #expect(other["csrf"] != nil)
            let (_, signedIn) = try await people.visitor(at: people.page + "?share=//evil.example")
            #expect(signedIn.location?.contains("/account") == true)
        }
    }

    @Test func `Somebody asks for access once, and the owner sees it`() async throws {
        try await Self.with { people, olga in
            let link = try await olga.share("root", #""publicPermission":"NONE","denyAccessRequests":false"#)
            let (visitor, _) = try await people.visitor()
            let page = people.page + "/share/" + link
            let closed = try await visitor.get(page)
            let form = try closed.form(to: "/sign-in")
            #expect(!closed.text.contains("Bread"))
            for _ in 0..<2 { #expect(try await visitor.post(page + "/ask", form).status == 303) }
            #expect(try await visitor.get(page).text.contains("You have asked for access"))
            let found = try await olga.send(
                .recordsLookup, #"{"zoneID":{"zoneName":"Z"},"records":[{"recordName":"share-root"}]}"#)
            #expect(found["records"].array?.first?["requesters"].array?.count == 1)
        }
    }

    // MARK: Everybody

    @Test func `A share that is open to everybody is shown where the operator allows it`() async throws {
        try await Self.with { people, olga in
            let link = try await olga.share(
                "root", #""publicPermission":"READ_ONLY","publicAnonymousAccess":true"#)
            let page = people.page + "/share/" + link
            let tenant = people.fixture.tenant
            #expect(!(try await PageVisitor().get(page).text.contains("Bread")))
            _ = try await SignInPolicies.set(
                links: ShareLinkSettings(showsShares: true, appLink: "players://share/{link}"), of: tenant,
                store: people.fixture.store)
            let open = try await PageVisitor().get(page)
            #expect(open.text.contains("Bread &amp; butter") && open.text.contains("players://share/\(link)"))
            try await olga.change("root", #""publicAnonymousAccess":false"#)
            #expect(!(try await PageVisitor().get(page).text.contains("Bread")))
        }
    }

    @Test func `Systems learn which apps open the links`() async throws {
        try await Self.with { people, _ in
            let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
            let apple = people.url.absoluteString + "/.well-known/apple-app-site-association"
            let android = people.url.absoluteString + "/.well-known/assetlinks.json"
            #expect(try await PageVisitor().get(apple).text == #"{"applinks":{"details":[]}}"#)
            #expect(try await PageVisitor().get(android).text == "[]")
            _ = try await SignInPolicies.set(
                links: ShareLinkSettings(
                    linkedApps: ["ABCDE12345.com.example.app", "com.example.app/\(fingerprint.lowercased())"]
                ),
                of: people.fixture.tenant, store: people.fixture.store)
            #expect(
                try await PageVisitor().get(apple).text
                    == #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/share/*"}]}]}}"#
            )
            let links = try await PageVisitor().get(android).text
            #expect(links.contains(#""package_name":"com.example.app""#) && links.contains(fingerprint))
        }
    }
}
