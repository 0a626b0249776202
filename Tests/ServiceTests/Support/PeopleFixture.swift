import CloudKit
import Foundation
import RecordConsole
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// A server with the sign-in page, and Ada, who has an account.
struct PeopleFixture {
    private struct Stretcher: PasswordStretcher {
        func stretch(
            _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
        ) async throws -> [UInt8] {
            Array((password + salt + Array(repeating: 0, count: 32)).prefix(32))
        }
    }

    private struct Post: AccountPost {
        let reachesPeople = false
        func send(_ mail: AccountMail) async {}
        func noteFailure(_ error: any Error) {}
    }

    static let address = "ada@example.org"
    static let password = "a raven of 1845"

    let fixture: ServiceFixture
    let url: URL
    let user: String
    let accounts: Accounts
    let directory: TemporaryDirectory

    /// Runs a body with such a server.
    static func with(
        identities: any IdentityProviders = NoIdentityProviders(),
        _ body: (PeopleFixture) async throws -> Void
    ) async throws {
        try await ServiceFixture.with { fixture in
            let accounts = Accounts(
                store: fixture.store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
                environment: ServiceEnvironment(
                    now: { Int64(Date().timeIntervalSince1970 * 1_000) },
                    random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }),
                stretcher: Stretcher(), post: Post(), identities: identities, authenticated: fixture.service)
            let path = try #require(try await accounts.invite(Self.address, to: fixture.tenant))
            let invited = try #require(path.split { "/?".contains($0) }.first { $0.utf8.count == 64 })
            let place = Accounts.Place(
                tenant: fixture.tenant, apiToken: nil, language: "en", baseURL: "http://localhost")
            let made = try #require(
                try await accounts.choosePassword(Self.password, by: String(invited), at: place))
            let site = try UserSignInSite(accounts: accounts, service: fixture.service, hosts: [])
            let directory = try TemporaryDirectory()
            try await fixture.withServer(
                sites: [
                    site, ShareSite(service: fixture.service), AppAssociationSite(.apple, accounts: accounts),
                    AppAssociationSite(.android, accounts: accounts),
                ]) { url in
                    try await body(
                        PeopleFixture(
                            fixture: fixture, url: url, user: made.user.recordName, accounts: accounts,
                            directory: directory))
                }
        }
    }

    /// Where an app keeps its tokens.
    var file: URL { URL(filePath: directory.path + "/app/tokens.json") }
    var page: String { "\(url.absoluteString)/sign-in/\(fixture.tenant.container)/development" }

    /// The container as an app sees it that has no user yet.
    func container(apiToken: String = ServiceFixture.apiToken) -> CKContainer {
        CKContainer(
            identifier: fixture.tenant.container.rawValue,
            configuration: .init(url: url, apiToken: apiToken))
    }

    /// Signs Ada in at the page.
    func visitor(at address: String? = nil) async throws -> (PageVisitor, PageVisitor.Page) {
        let visitor = PageVisitor()
        let address = address ?? page
        var form = try await visitor.get(address).form(to: "/sign-in")
        form["address"] = Self.address
        form["password"] = Self.password
        return (visitor, try await visitor.post(address, form))
    }

    /// Lets a device in whose code somebody reads.
    func allow(_ code: String, _ answer: String = "allow") async throws {
        let (visitor, _) = try await visitor()
        var form = try await visitor.get(page + "/device").form(to: "/sign-in")
        form["code"] = code
        let question = try await visitor.post(page + "/device", form)
        let done = try await visitor.post(
            page + "/device/\(answer)",
            question.form(to: "/sign-in/\(fixture.tenant.container)/development/device/\(answer)"))
        #expect(done.status == 200)
    }
}
