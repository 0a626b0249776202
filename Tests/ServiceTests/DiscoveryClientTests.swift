import CloudKit
import CloudKitTesting
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

/// Finding people from an app: over real sockets, with the answer that people give on their account page.
@Suite struct DiscoveryClientTests {
    private static let people = "an-app-that-may-ask-for-people"

    private static func app(_ people: PeopleFixture, as user: String) async throws -> CKContainer {
        let tenant = people.fixture.tenant
        let row = TokenRow(
            kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil,
            asksForPeople: true)
        try await people.fixture.store.write { store in
            let digest = AccessToken.digest(Self.people)
            if try store.token(digest: digest) == nil { try store.insert(row, digest: digest) }
        }
        let container = people.container(apiToken: Self.people)
        container.webAuthToken = try await people.fixture.webToken(of: user)
        return container
    }

    /// Ada's answer on the account page.
    private static func answer(
        _ people: PeopleFixture, allows: Bool, given: String = "Ada", family: String = "Lovelace"
    ) async throws -> PageVisitor.Page {
        let (visitor, _) = try await people.visitor()
        let action = "/sign-in/\(people.fixture.tenant.container)/development/account/discovery"
        var form = try await visitor.get(people.page + "/account").form(to: action)
        form["given"] = given
        form["family"] = family
        form["keep"] = allows ? "1" : nil
        return try await visitor.post(people.page + "/account/discovery", form)
    }

    @available(*, deprecated, message: "Uses what Apple deprecated.")
    private static func all(_ container: CKContainer) async throws -> [CKUserIdentity] {
        try await withCheckedThrowingContinuation { continuation in
            let operation = CKDiscoverAllUserIdentitiesOperation()
            let found = Collected()
            operation.userIdentityDiscoveredBlock = { found.identities.append($0) }
            operation.discoverAllUserIdentitiesResultBlock = { result in
                continuation.resume(with: result.map { found.identities })
            }
            container.add(operation)
        }
    }

    /// Blocks of an operation are called one at a time.
    private final class Collected: @unchecked Sendable {
        var identities: [CKUserIdentity] = []
    }

    @Test
    @available(*, deprecated, message: "Uses what Apple deprecated.")
    func `Ada is found while she allows it, with the name of her page`() async throws {
        try await PeopleFixture.with { people in
            let bob = try await Self.app(people, as: "bob")
            #expect(try await bob.userIdentity(forEmailAddress: PeopleFixture.address) == nil)
            #expect(try await Self.all(bob).isEmpty)

            let page = try await Self.answer(people, allows: true)
            #expect(page.status == 200 && page.text.contains("Your answer was saved."))
            #expect(page.text.contains("name=\"keep\" value=\"1\" checked"))
            let found = try #require(try await bob.userIdentity(forEmailAddress: PeopleFixture.address))
            #expect(found.userRecordID?.recordName == people.user && found.hasiCloudAccount)
            #expect(found.nameComponents?.givenName == "Ada")
            #expect(found.nameComponents?.familyName == "Lovelace")
            #expect(found.lookupInfo?.emailAddress == PeopleFixture.address)
            let record = CKRecord.ID(recordName: people.user)
            #expect(try await bob.userIdentity(forUserRecordID: record)?.userRecordID == record)
            #expect(try await bob.userIdentity(forPhoneNumber: "+43 1") == nil)
            // More than one request takes, the one who is found last.
            let many = (0..<130).map { "p\($0)@example.org" } + [PeopleFixture.address]
            #expect(
                try await bob.userIdentities(forEmailAddresses: many).keys.sorted() == [PeopleFixture.address]
            )
            #expect(try await Self.all(bob).map(\.userRecordID?.recordName) == [people.user])

            #expect(try await Self.answer(people, allows: false).status == 200)
            #expect(try await bob.userIdentity(forEmailAddress: PeopleFixture.address) == nil)
            #expect(try await bob.allUserIdentitiesFromContacts().isEmpty)
        }
    }

    @Test
    @available(*, deprecated, message: "Uses what Apple deprecated.")
    func `The permission is what the person answered on the page`() async throws {
        try await PeopleFixture.with { people in
            let container = people.container()
            let account = StratusAccount(container: container, keeping: .memory)
            _ = try await account.signIn(as: "Lamp") { try await people.allow($0.text) }
            #expect(try await container.requestApplicationPermission(.userDiscoverability) == .initialState)
            #expect(try await Self.answer(people, allows: false).status == 200)
            #expect(
                try await container.applicationPermissionStatus(for: .userDiscoverability) == .denied)
            #expect(try await Self.answer(people, allows: true, given: "<Ada>", family: "").status == 200)
            #expect(try await container.requestApplicationPermission(.userDiscoverability) == .granted)
            let tooLong = String(repeating: "a", count: Limits.personNameBytes + 1)
            let refused = try await Self.answer(people, allows: false, given: tooLong)
            #expect(refused.status == 400 && refused.text.contains("The name is too long"))
            #expect(try await container.requestApplicationPermission(.userDiscoverability) == .granted)
            // This app's token may not ask.
            await #expect {
                try await container.userIdentity(forEmailAddress: "ada@example.org")
            } throws: {
                ($0 as? CKError)?.code == .permissionFailure
            }
        }
    }

    @Test
    @available(*, deprecated, message: "Uses what Apple deprecated.")
    func `The cloud in memory finds people, too`() async throws {
        let cloud = try await TestCloud()
        try await cloud.setDiscovery(
            true, of: "ada", givenName: "Ada", emailAddress: "Ada@example.org")
        try await cloud.setDiscovery(false, of: "eve", givenName: "Eve", emailAddress: "eve@example.org")
        let bob = try await cloud.container(user: "bob")
        let found = try await bob.userIdentities(
            forEmailAddresses: ["ada@example.org", "eve@example.org", "zoe@example.org"])
        #expect(found.keys.sorted() == ["ada@example.org"])
        #expect(found["ada@example.org"]?.nameComponents?.givenName == "Ada")
        let ada = try await cloud.container(user: "ada")
        #expect(try await ada.requestApplicationPermission(.userDiscoverability) == .granted)
        await cloud.close()
    }
}
