import CurlAccess
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import Synchronization
import Testing

/// The form that Sign in with Apple posts, over real sockets: with a name, with what is none, and without.
@Suite struct ProvidedNameClientTests {
    /// Stands for Apple, which no test can ask.
    private final class Apple: IdentityProviders {
        static let issuer = "https://appleid.apple.com"
        let state = Mutex("")

        func address(of provider: SignInProviderRow, for visit: ProviderVisit) async throws -> String {
            state.withLock { $0 = visit.state }
            return Self.issuer + "/auth/authorize"
        }

        func identity(
            at provider: SignInProviderRow, code: String, for visit: ProviderVisit
        ) async throws -> ProvidedIdentity {
            ProvidedIdentity(issuer: Self.issuer, subject: code, address: nil)
        }
    }

    /// Signs in with what Apple posts; the fields of the account page's form.
    private static func visit(
        _ people: PeopleFixture, _ apple: Apple, as code: String, user: String
    ) async throws -> [String: String] {
        let visitor = PageVisitor()
        let path = "/sign-in/\(people.fixture.tenant.container)/development"
        var form = try await visitor.get(people.page).form(to: path + "/with")
        form["provider"] = "apple"
        #expect(try await visitor.post(people.page + "/with", form).status == 200)
        let state = apple.state.withLock { $0 }
        // No cookie comes along with another site's form.
        var request = CurlRequest(
            url: people.page + "/with/apple/return",
            body: .bytes(
                Array("state=\(state)&code=\(code)\(user)".utf8), type: "application/x-www-form-urlencoded"),
            to: .memory(maximumBytes: 100_000))
        request.followsRedirections = false
        let answer = try await CurlClient(connectionsPerHost: 1).send(request)
        let location = try #require(answer.headers["location"], "answered \(answer.status)")
        #expect(!location.contains("Ada") && location.utf8.count < 2_000)
        let back = try #require(URL(string: location, relativeTo: people.url)?.absoluteString)
        #expect(try await visitor.get(back).status == 303)
        return try await visitor.get(people.page + "/account").form(to: path + "/account/discovery")
    }

    @Test func `The first name is on the account page, also after a visit without one`() async throws {
        let apple = Apple()
        try await PeopleFixture.with(identities: apple) { people in
            let tenant = people.fixture.tenant
            _ = try await SignInPolicies.set(admission: .open, of: tenant, store: people.fixture.store)
            let row = SignInProviderRow(
                tenant: tenant, name: "apple", title: "Apple", issuer: Apple.issuer, clientID: "client",
                postsForm: true, createdAt: 0)
            try await SignInProviders.add(row, store: people.fixture.store)
            // {"name":{"firstName":"Ada","lastName":"Löwe"}}
            let name =
                "&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%22%2C%22lastName%22%3A%22L%C3%B6we%22%7D%7D"
            for user in [name, "", name.replacing("Ada", with: "Eve")] {
                let form = try await Self.visit(people, apple, as: "ada", user: user)
                #expect(form["given"] == "Ada" && form["family"] == "Löwe")
            }
            let long = String(repeating: "a", count: 10_000)
            for user in ["&user=%7B", "&user=%FF%FE", "&user=\(name)&user=", "&user=" + long, "&user"] {
                let form = try await Self.visit(people, apple, as: "bob", user: user)
                #expect(form["given"] == "" && form["family"] == "", "\(user.prefix(20))")
            }
        }
    }
}
