import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// With what receivers end: sessions, accounts, their bounds, and what push services say.
@Suite struct ReceiverEndTests {
    /// Alice with an account and a session.
    private struct Signed {
        let cloud: TestCloud
        let account = AccountRow(
            id: "alice", address: "alice@example.org", createdAt: 1, isDisabled: false)
        let user: UserRow
        let token: String
        let session: String

        init(_ cloud: TestCloud) async throws {
            self.cloud = cloud
            let user = UserRow(
                tenant: cloud.tenant, recordName: TestCloud.Sender.alice.userName, label: "alice",
                createdAt: 1, account: account.id)
            self.user = user
            let account = account
            try await cloud.store.write { store in
                try store.store(account)
                try store.insert(user)
            }
            token = try await cloud.service.authenticator.sessions.begin(
                .web, for: account, as: user, lasting: .long, label: "Test")
            session = try #require(
                try await cloud.store.read(.short) { try $0.sessions(of: account.id) }.first?.id)
        }

        /// Asks with the token of the session.
        func send(_ endpoint: Endpoint, _ body: JSONValue) async throws -> TestCloud.Answer {
            try await cloud.send(
                endpoint, bytes: body.bytes,
                credentials: Credentials(apiToken: "\(cloud.tenant)-api", webAuthToken: token),
                tenant: cloud.tenant, in: .public)
        }

        func courier() async throws -> Courier {
            let answer = try await send(.tokensCreate, ["apnsEnvironment": "development"])
            return Courier(cloud: cloud, token: try #require(answer.json["apnsToken"].string))
        }
    }

    @Test func `A receiver ends with the session that registered it, and others go on`() async throws {
        try await TestCloud.run { cloud in
            let signed = try await Signed(cloud)
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let courier = try await signed.courier()
            let other = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 1]])
            #expect(try await courier.all() == ["s:created:a"])
            try await cloud.service.authenticator.sessions.end(signed.session)
            try await cloud.save("b", ["n": ["value": 1]])
            await #expect(throws: ServiceError.self) { try await courier.next() }
            #expect(try await other.all() == ["s:created:a", "s:created:b"])
            let late = try await signed.send(.tokensCreate, ["apnsEnvironment": "development"])
            #expect(late.code == "AUTHENTICATION_REQUIRED")
        }
    }

    @Test func `A receiver ends with the token that an operator made, and with the app's API token`()
        async throws
    {
        try await TestCloud.run { cloud in
            let (tenant, store) = (cloud.tenant, cloud.store)
            let user = UserRow(
                tenant: tenant, recordName: TestCloud.Sender.alice.userName, label: "alice", createdAt: 1)
            try await store.write { try $0.insert(user) }
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            func token(_ user: UserRow?, lifetime: Int64? = nil) async throws -> String {
                try await Tokens.create(
                    tenant: tenant, user: user, label: "t", lifetimeMilliseconds: lifetime, store: store,
                    environment: cloud.service.environment
                ).token
            }
            let body: JSONValue = ["apnsEnvironment": "development"]
            func courier(_ app: String, _ web: String) async throws -> Courier {
                let answer = try await cloud.send(
                    .tokensCreate, bytes: body.bytes,
                    credentials: Credentials(apiToken: app, webAuthToken: web), tenant: tenant, in: .public)
                return Courier(cloud: cloud, token: try #require(answer.json["apnsToken"].string))
            }
            let (app, other) = (try await token(nil), try await token(nil))
            let (first, second) = (try await token(user), try await token(user))
            let couriers = [
                try await courier(app, first), try await courier(app, second),
                try await courier(other, first),
                try await courier(other, second), try await courier(other, token(user, lifetime: 1_000)),
            ]
            func told(_ name: String) async throws -> [Bool] {
                try await cloud.save(name, ["n": ["value": 1]])
                var told: [Bool] = []
                for courier in couriers {
                    do { told.append(try await courier.next() != nil) } catch is ServiceError {
                        told.append(false)
                    }
                }
                return told
            }
            #expect(try await told("a") == [true, true, true, true, true])
            cloud.wait(milliseconds: 2_000)
            #expect(try await told("b") == [true, true, true, true, false])
            _ = try await Tokens.revoke(first, of: tenant, store: store)
            #expect(try await told("c") == [false, true, false, true, false])
            _ = try await Tokens.revoke(app, of: tenant, store: store)
            #expect(try await told("d") == [false, false, false, true, false])
        }
    }

    @Test func `A browser that a revoked token registered is told nothing, and operators see why`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            _ = try await cloud.registerBrowser("a")
            let receiver = PushReceiver()
            try await cloud.pushing(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                #expect(try await eventually { receiver.tried.count == 1 })
                let tenant = cloud.tenant
                try await cloud.addToken("later", .web, tenant, user: TestCloud.Sender.alice.userName)
                _ = try await Tokens.revoke("\(tenant)-alice", of: tenant, store: cloud.store)
                let save: JSONValue = [
                    "operations": [TestCloud.operation("create", "b", fields: ["n": ["value": 1]])]
                ]
                let answer = try await cloud.send(
                    .recordsModify, bytes: save.bytes,
                    credentials: Credentials(apiToken: "\(tenant)-api", webAuthToken: "\(tenant)-later"),
                    tenant: tenant, in: .private)
                #expect(answer.codes == [nil])
                #expect(try await eventually { try await cloud.allReceivers().first?.row.endedAt != nil })
            }
            #expect(receiver.tried.count == 1)
            let ended = try #require(try await cloud.allReceivers().first?.row)
            #expect(ended.endReason == ReceiverRow.orphanReason && ended.definition.isEmpty)
        }
    }

    @Test func `An account that is shut is told of nothing, by whatever token it registered`() async throws {
        try await TestCloud.run { cloud in
            let signed = try await Signed(cloud)
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            // Alice's other token is an operator's, and has no session.
            let couriers = [try await signed.courier(), try await Courier.make(cloud)]
            try await cloud.save("a", ["n": ["value": 1]])
            try await AccountList.setDisabled(true, signed.account.address, store: cloud.store)
            for courier in couriers {
                await #expect(throws: ServiceError.self) { try await courier.next() }
            }
            try await AccountList.setDisabled(false, signed.account.address, store: cloud.store)
            #expect(try await couriers[1].all() == ["s:created:a"])
            await #expect(throws: ServiceError.self) { try await couriers[0].next() }
        }
    }

    @Test func `A user that is shut out is told of nothing, with or without an account`() async throws {
        try await TestCloud.run { cloud in
            let (tenant, alice) = (cloud.tenant, TestCloud.Sender.alice.userName)
            try await cloud.store.write { store in
                try store.insert(UserRow(tenant: tenant, recordName: alice, label: "alice", createdAt: 1))
            }
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let courier = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 1]])
            _ = try await Users.setDisabled(true, "alice", of: tenant, store: cloud.store)
            await #expect(throws: ServiceError.self) { try await courier.next() }
            _ = try await Users.setDisabled(false, "alice", of: tenant, store: cloud.store)
            #expect(try await courier.all() == ["s:created:a"])
        }
    }

    @Test func `What is unregistered is told of nothing, and only its own user does it`() async throws {
        try await TestCloud.run { cloud in
            let courier = try await Courier.make(cloud)
            let body: JSONValue = [
                "apnsEnvironment": "development", "apnsToken": .string(courier.token),
            ]
            #expect(try await cloud.send(.tokensUnregister, body, as: .bob, in: .public).status == 200)
            #expect(try await courier.next() == nil)
            #expect(try await cloud.send(.tokensUnregister, body, in: .public).json.text == "{}")
            await #expect(throws: ServiceError.self) { try await courier.next() }
            #expect(try await cloud.send(.tokensUnregister, body, in: .public).status == 200)
            let nothing = try await cloud.send(
                .tokensUnregister, ["apnsEnvironment": "development"], in: .public)
            #expect(nothing.code == "BAD_REQUEST")

            _ = try await cloud.registerBrowser("a")
            let push: JSONValue = [
                "apnsEnvironment": "development",
                "webPush": [
                    "endpoint": "https://push.example.org/a", "keys": ["p256dh": "", "auth": ""],
                ],
            ]
            _ = try await cloud.send(.tokensUnregister, push, in: .public)
            #expect(try await cloud.receivers().isEmpty)
            let ended = try #require(try await cloud.allReceivers().first?.row)
            #expect(ended.endReason == "The app unregistered it." && ended.definition.isEmpty)
            // It may come back.
            _ = try await cloud.registerBrowser("a")
            #expect(try await cloud.receivers().count == 1)
            #expect(try await cloud.allReceivers().count == 1)
        }
    }

    @Test func `Pages that are loaded leave phones their receivers, and phones have a bound of their own`()
        async throws
    {
        try await TestCloud.run { cloud in
            _ = try await cloud.registerBrowser("phone")
            for _ in 0...Limits.receiversPerUser { _ = try await Courier.make(cloud) }
            let all = try await cloud.receivers()
            #expect(all.count { $0.row.channel == .courier } == Limits.receiversPerUser)
            #expect(all.count { $0.row.channel == .webPush } == 1)
            for number in 1...Limits.pushReceiversPerUser {
                _ = try await cloud.registerBrowser("b\(number)")
            }
            let ended = try await cloud.allReceivers().filter { $0.row.endedAt != nil }
            #expect(ended.count == 1 && ended.first?.row.endReason.contains("made room") == true)
            let left = try await cloud.receivers().count { $0.row.channel == .webPush }
            #expect(left == Limits.pushReceiversPerUser)
        }
    }

    @Test func `A push that is refused for good is left out, and those after it go on`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            _ = try await cloud.registerBrowser("a")
            let receiver = PushReceiver()
            receiver.answer { _ in PushAnswer(status: 413, text: "too large") }
            try await cloud.pushing(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                #expect(try await eventually { try await cloud.receivers().first?.state.failed == 1 })
                receiver.answer { _ in PushAnswer(status: 201) }
                try await cloud.save("b", ["n": ["value": 1]])
                #expect(try await eventually { try await cloud.receivers().first?.state.taken == 1 })
            }
            #expect(receiver.tried.count == 2)
            let state = try #require(try await cloud.receivers().first?.state)
            #expect(state.attempts.map(\.isLeftOut) == [true, false] && state.tries == 0)
            let fate = try await explain("a", cloud).changes.first?.fates.first
            #expect(fate?.stage == .refused && fate?.sentence.contains("413 too large") == true)
        }
    }

    @Test func `Each answer of Apple's means what Apple says`() async throws {
        try await TestCloud.run { cloud in
            let channel = APNsChannel(store: cloud.store)
            func verdict(_ status: Int?, _ text: String = "") -> PushVerdict {
                channel.verdict(on: PushAnswer(status: status, text: text))
            }
            #expect(verdict(200) == .taken)
            #expect(
                verdict(410, #"{"reason":"Unregistered","timestamp":1700000000000}"#)
                    == .gone(since: 1_700_000_000_000))
            #expect(verdict(410) == .gone(since: nil))
            #expect(verdict(400, #"{"reason":"BadDeviceToken"}"#) == .gone(since: nil))
            #expect(verdict(400, #"{"reason":"DeviceTokenNotForTopic"}"#) == .gone(since: nil))
            #expect(verdict(400, #"{"reason":"BadCollapseId"}"#) == .never)
            #expect(verdict(413, #"{"reason":"PayloadTooLarge"}"#) == .never)
            #expect(verdict(400, #"{"reason":"BadTopic"}"#) == .later)
            #expect(verdict(503) == .later && verdict(nil) == .later && verdict(400, "nonsense") == .later)
        }
    }

    @Test func `Why a receiver got nothing says what is on record`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("early", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let tenant = cloud.tenant
            try await cloud.store.write { store in
                try store.insert(
                    UserRow(
                        tenant: tenant, recordName: TestCloud.Sender.alice.userName, label: "alice",
                        createdAt: 1))
            }
            try await cloud.delete("early")
            _ = try await cloud.registerBrowser("a")
            // A deletion has no time: the first cursor of the receiver decides.
            #expect(try await explain("early", cloud).changes.first?.fates.first?.stage == .madeLater)
            try await cloud.save("a", ["n": ["value": 1]])
            let digest = try #require(try await cloud.receivers().first?.row.digest)
            try await cloud.store.write { store in
                guard var row = try store.receiver(digest: digest) else { return }
                row.cursor = try store.lastSequence()
                try store.store(row)
            }
            let passed = try #require(try await explain("a", cloud).changes.first?.fates.first)
            #expect(passed.stage == .passed && passed.sentence.contains("no delivery is on record"))
            try await Subscribers.removeReceiver(digest, of: tenant, store: cloud.store, now: 5)
            try await cloud.save("b", ["n": ["value": 1]])
            let gone = try await explain("b", cloud)
            #expect(gone.changes.first?.fates.first?.stage == .ended)
            #expect(gone.notes.contains { $0.contains("An operator removed it.") })
        }
    }

    @Test func `What waits is counted though more changes of other types come first`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.save("other", ["n": ["value": 0]], type: "Other")
            try await cloud.subscribe(TestCloud.notes("s"))
            // It has all types logged.
            _ = try await cloud.addHook([])
            _ = try await Courier.make(cloud)
            for _ in 0...Subscribers.mostCounted {
                try await cloud.save("other", ["n": ["value": 1]], type: "Other")
            }
            #expect(try await cloud.receivers().first?.waiting == 0)
            try await cloud.save("a", ["n": ["value": 1]])
            #expect(try await cloud.receivers().first?.waiting == 1)
        }
    }

    private func explain(_ record: String, _ cloud: TestCloud) async throws -> DeliveryExplanation {
        let tenant = cloud.tenant
        return try await cloud.store.read(.long) { reader in
            let name = TestCloud.Sender.alice.userName
            let user =
                try reader.user(named: name, of: tenant)
                ?? UserRow(tenant: tenant, recordName: name, label: "alice", createdAt: 1)
            return try DeliveryExplanation(of: record, zone: nil, for: .user(user), in: tenant, reader)
        }
    }
}
