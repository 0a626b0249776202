import Foundation
import HTTPTypes
import RecordModel
import RecordStorage
import Testing

@testable import RecordConsole

/// Operators who may look at everything and change nothing.
@Suite struct ReadOnlyOperatorTests {
    /// An address that a route answers.
    private func path(_ route: Route) -> String {
        let values = ["container": "iCloud.test", "environment": "development"]
        return "/console/"
            + route.pattern.map { part in
                part.hasPrefix(":") ? values[String(part.dropFirst())] ?? "Thing" : part
            }.joined(separator: "/")
    }

    private func signedIn(_ fixture: ConsoleFixture, _ name: String, isReadOnly: Bool) async throws -> Browser
    {
        let secret = try await Operators.add(
            name, isReadOnly: isReadOnly, to: fixture.store, environment: ConsoleFixture.environment)
        let browser = Browser(url: fixture.url)
        _ = try await browser.get("/console/sign-in")
        _ = try await browser.post("/console/sign-in", ["secret": secret])
        return browser
    }

    @Test func `Every address that changes something refuses them with a sentence, and no page does`()
        async throws
    {
        try await ConsoleFixture.with { fixture in
            let owner = try await fixture.signedIn(as: "owner")
            _ = try await owner.post(
                "/console/containers",
                [
                    "csrf": try await owner.get("/console/").csrf, "container": "iCloud.test",
                    "name": "iCloud.test",
                ])
            let bob = try await signedIn(fixture, "bob", isReadOnly: true)
            let csrf = try await bob.get("/console/").csrf
            #expect(!csrf.isEmpty)
            let before = try await fixture.store.read(.short) { try ($0.lastSequence(), $0.operators()) }
            var exempt: [String] = []
            for route in Routes.all where route.method == .post && route.access == .operators {
                guard !route.isForReaders else {
                    exempt.append(path(route))
                    continue
                }
                let headers = ["X-CSRF-Token": csrf]
                let answer = try await bob.post(path(route), ["csrf": csrf], headers: headers)
                #expect(answer.status == 403, "\(path(route))")
                #expect(answer.text.contains("may look at everything and change nothing"), "\(path(route))")
                // Whoever may change things gets further, to whatever is wrong with an empty form.
                let token = try await owner.get("/console/").csrf
                let other = try await owner.post(
                    path(route), ["csrf": token], headers: ["X-CSRF-Token": token])
                #expect(
                    !other.text.contains("may look at everything and change nothing"), "\(path(route))")
            }
            #expect(exempt == ["/console/sign-out"])
            for route in Routes.all where route.method == .get && route.access == .operators {
                // It ends with its reader.
                if route.pattern == ["requests", "live"] { continue }
                #expect(try await bob.get(path(route)).status != 403, "\(path(route))")
            }
            let after = try await fixture.store.read(.short) { try $0.operators() }
            #expect(after == before.1)
            // JavaScript of pages gets the sentence as JSON.
            let json = try await bob.post(
                "/console/containers", ["csrf": csrf], headers: ["Accept": "application/json"])
            #expect(json.status == 403 && json.text.contains("ACCESS_DENIED"))
        }
    }

    @Test func `It counts at once in an open session, and leaves somebody who may change things`()
        async throws
    {
        try await ConsoleFixture.with { fixture in
            let ada = try await fixture.signedIn(as: "ada")
            let csrf = try await ada.get("/console/").csrf
            let refused = await #expect(throws: ServiceError.self) {
                try await Operators.setReadOnly(true, "ada", in: fixture.store)
            }
            #expect(refused?.reason.contains("only operator who may change things") == true)
            _ = try await Operators.add("bob", to: fixture.store, environment: ConsoleFixture.environment)
            try await Operators.setReadOnly(true, "ada", in: fixture.store)
            #expect(try await ada.post("/console/rejected/dismiss", ["csrf": csrf]).status == 403)
            #expect(try await ada.get("/console/").text.contains("(may only look)"))
            // Bob is the last one who may change things.
            #expect(try await Operators.isOnlyOne("bob", in: fixture.store))
            await #expect(throws: ServiceError.self) {
                try await Operators.remove("bob", from: fixture.store)
            }
            try await Operators.remove("ada", from: fixture.store)
            await #expect(throws: ServiceError.self) {
                try await Operators.setReadOnly(false, "ada", in: fixture.store)
            }
        }
    }
}
