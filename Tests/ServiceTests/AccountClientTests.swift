import CloudKit
import CurlAccess
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// Signing in from a program, over real sockets.
@Suite struct AccountClientTests {
    /// Counts what was posted about a container.
    private final class Listener: Sendable {
        private let count = Mutex(0)

        init(_ container: CKContainer) {
            _ = NotificationCenter.default.addObserver(
                forName: .CKAccountChanged, object: container, queue: nil
            ) { [weak self] _ in self?.count.withLock { $0 += 1 } }
        }

        var posted: Int { count.withLock { $0 } }
    }

    private static func code<Value>(_ body: () async throws -> Value) async -> CKError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? CKError)?.code
        }
    }

    private static func token(of container: CKContainer) async throws -> String {
        let operation = CKFetchWebAuthTokenOperation(apiToken: ServiceFixture.apiToken)
        return try await withCheckedThrowingContinuation { continuation in
            operation.fetchWebAuthTokenResultBlock = { continuation.resume(with: $0) }
            container.privateCloudDatabase.add(operation)
        }
    }

    @Test func `By a code: the container is the user's, the next start too, until signing out`() async throws
    {
        try await PeopleFixture.with { people in
            let container = people.container()
            let listener = Listener(container)
            let account = StratusAccount(container: container, keeping: .file(people.file))
            #expect(account.userRecordID == nil)
            #expect(try await container.accountStatus() == .noAccount)
            let user = try await account.signIn(as: "Lamp") { code in
                #expect(code.page.absoluteString == people.page + "/device")
                #expect(code.pageWithCode.query()?.contains(code.text) == true)
                #expect((500...600).contains(code.expiresAt.timeIntervalSinceNow))
                try await people.allow(code.text)
            }
            #expect(user.recordName == people.user)
            #expect(account.userRecordID == user)
            #expect(try await container.accountStatus() == .available)
            #expect(try await container.userRecordID() == user)
            #expect(listener.posted == 1)
            let token = try await Self.token(of: container)
            #expect(token == container.webAuthToken)
            let facts = try FileManager.default.attributesOfItem(atPath: people.file.path)
            #expect(facts[.posixPermissions] as? Int == 0o600)

            // The next start.
            let next = people.container()
            let again = StratusAccount(container: next, keeping: .file(people.file))
            #expect(again.userRecordID == user)
            #expect(try await next.accountStatus() == .available)
            #expect(next.webAuthToken == token)

            try await account.signOut()
            #expect(try await container.accountStatus() == .noAccount)
            await #expect(throws: CKError.self) { try await container.userRecordID() }
            await #expect(throws: CKError.self) { try await Self.token(of: container) }
            #expect(listener.posted == 2)
            // The other one follows, and the service knows the token no more.
            #expect(next.webAuthToken == nil && again.userRecordID == nil)
            let thief = people.container()
            thief.webAuthToken = token
            #expect(try await thief.accountStatus() == .noAccount)
        }
    }

    @Test func `With a browser, which comes back to a port of the program`() async throws {
        try await PeopleFixture.with { people in
            let container = people.container()
            let account = StratusAccount(container: container, keeping: .memory)
            let user = try await account.signInWithBrowser(as: "Desk") { address in
                let (visitor, page) = try await people.visitor(at: address.absoluteString)
                #expect(page.status == 303)
                let back = try #require(page.location)
                let port = try #require(URL(string: back)?.port)
                // Whatever else is on this machine gets nothing, and keeps nobody waiting.
                let code = try #require(
                    URLComponents(string: back)?.queryItems?.first { $0.name == "code" }?.value)
                #expect(try await visitor.get("http://127.0.0.1:\(port)/favicon.ico").status == 404)
                #expect(
                    try await visitor.get("http://127.0.0.1:\(port)/?code=\(code)&state=other").status == 400)
                #expect(try await visitor.post("http://127.0.0.1:\(port)/", ["code": code]).status == 404)
                #expect(try await visitor.get(back).text.contains("You are signed in"))
            }
            #expect(user.recordName == people.user)
            #expect(try await container.accountStatus() == .available)
            let sessions = try await people.fixture.store.read(.short) { store in
                let row = try #require(try store.account(withAddress: PeopleFixture.address))
                return try store.sessions(of: row.id)
            }
            #expect(sessions.contains { $0.label == "Desk" })
            try await account.signOut()
            #expect(try await container.accountStatus() == .noAccount)
        }
    }

    @Test func `A no is an error, and signing in can be given up`() async throws {
        try await PeopleFixture.with { people in
            let account = StratusAccount(container: people.container(), keeping: .memory)
            let denied = await Self.code {
                try await account.signIn { try await people.allow($0.text, "deny") }
            }
            #expect(denied == .notAuthenticated)
            struct Away: Error {}
            await #expect(throws: Away.self) { try await account.signIn { _ in throw Away() } }
            await #expect(throws: Away.self) { try await account.signInWithBrowser { _ in throw Away() } }
            let waiting = Task { try await account.signInWithBrowser { _ in } }
            waiting.cancel()
            #expect(await Self.code { try await waiting.value } == .operationCancelled)
            let foreign = StratusAccount(container: people.container(apiToken: "another"), keeping: .memory)
            #expect(await Self.code { try await foreign.signIn { _ in } } == .notAuthenticated)
            #expect(account.userRecordID == nil)
        }
    }

    @Test func `Programs that share a file go on with the token that one of them renewed`() async throws {
        try await PeopleFixture.with { people in
            let containers = [people.container(), people.container()]
            let accounts = containers.map { StratusAccount(container: $0, keeping: .file(people.file)) }
            try await accounts[0].signInWithBrowser { address in
                let (visitor, page) = try await people.visitor(at: address.absoluteString)
                let back = try #require(page.location)
                #expect(try await visitor.get(back).status == 200)
            }
            let first = try #require(containers[0].webAuthToken)
            #expect(containers[1].webAuthToken == first)
            for turn in 1...4 {
                // A day is longer than anybody may go on with a token that was replaced.
                people.fixture.wait(seconds: 24 * 3_600)
                let container = containers[turn % 2]
                #expect(try await container.accountStatus() == .available)
                #expect(try await container.accountStatus() == .available)
                #expect(container.webAuthToken != first)
                #expect(containers[0].webAuthToken == containers[1].webAuthToken)
            }
        }
    }

    @Test func `Only what a program was let in for gets a token`() async throws {
        try await PeopleFixture.with { people in
            let (visitor, _) = try await people.visitor()
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            func address(_ redirect: String, challenge: String = challenge, method: String = "S256") -> String
            {
                "\(people.page)?ckAPIToken=\(ServiceFixture.apiToken)&redirect_uri=\(redirect)&state=12345678"
                    + "&code_challenge=\(challenge)&code_challenge_method=\(method)"
            }
            for bad in [
                address("http://example.org:80/"), address("http://127.0.0.1/"),
                address("https://127.0.0.1:4000/"),
                address("http://127.0.0.1:4000@example.org/"), address("http://localhost.example.org:80/"),
                address("http://127.0.0.1:4000/?a=b"), address("http://127.0.0.1:4000/", challenge: "short"),
                address("http://127.0.0.1:4000/", method: "plain"),
            ] {
                let page = try await visitor.get(bad)
                #expect(page.text.contains("not known") && !page.text.contains("/continue"), "\(bad)")
            }
            func code() async throws -> String {
                let page = try await visitor.get(address("http://127.0.0.1:4000/"))
                #expect(page.text.contains("A program on this computer"))
                let form = try page.form(
                    to: "/sign-in/\(people.fixture.tenant.container)/development/continue")
                let gone = try await visitor.post(
                    address("http://127.0.0.1:4000/").replacing(
                        "/development?", with: "/development/continue?"), form)
                let back = try #require(gone.location.flatMap(URLComponents.init(string:)))
                #expect(back.queryItems?.first { $0.name == "state" }?.value == "12345678")
                return try #require(back.queryItems?.first { $0.name == "code" }?.value)
            }
            func redeem(_ code: String, _ changes: [String: String] = [:]) async throws -> Int {
                let form = [
                    "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                    "redirect_uri": "http://127.0.0.1:4000/", "client_id": ServiceFixture.apiToken,
                ].merging(changes) { $1 }
                return try await PageVisitor().post(people.page + "/device/token", form).status
            }
            #expect(try await redeem(try await code(), ["code_verifier": String(verifier.reversed())]) == 400)
            #expect(try await redeem(try await code(), ["redirect_uri": "http://127.0.0.1:4001/"]) == 400)
            #expect(try await redeem(try await code(), ["client_id": "other"]) == 401)
            let used = try await code()
            #expect(try await redeem(used) == 200)
            #expect(try await redeem(used) == 400)
        }
    }
}
