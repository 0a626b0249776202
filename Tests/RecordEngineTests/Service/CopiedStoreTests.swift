import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// A server that was moved to another store: what clients hold goes on working.
@Suite struct CopiedStoreTests {
    @Test(arguments: StoreEngine.durable)
    func `Who is signed in, has subscribed or has a hook notices nothing of a move to another store`(
        _ engine: StoreEngine
    ) async throws {
        try await TestCloud.run { cloud in
            let ground = AccountGround(cloud)
            try await ground.open()
            let (account, user) = try #require(try await ground.signUp("ada@example.org"))
            let token = try await ground.accounts.sessions.begin(
                .web, for: account, as: user, lasting: .long, label: "Test")
            try await cloud.save("a", ["n": ["value": 5]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let courier = try await Courier.make(cloud)
            let hook = try await cloud.addHook(where: "n > 3")
            try await cloud.save("waiting", ["n": ["value": 7]])

            try await cloud.moveToCopy(engine)

            let call = ServiceCall(
                endpoint: .usersCaller, tenant: ground.tenant, scope: .public,
                credentials: Credentials(apiToken: "\(ground.tenant)-api", webAuthToken: token), body: [],
                requestID: "r")
            #expect(try await cloud.service.admit(call).caller == .user(user.recordName))
            #expect(try await courier.all() == ["s:created:waiting"])
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("later", ["n": ["value": 8]])
                #expect(try await eventually { receiver.taken.count >= 2 })
            }
            #expect(receiver.texts == ["create:waiting=7", "create:later=8"])
            #expect(receiver.taken.allSatisfy { $0.json["webhook"].string == hook.id })
            #expect(try await courier.all() == ["s:created:later"])
        }
    }
}
