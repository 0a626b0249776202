import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// A push service that takes everything, unless a test says otherwise; it decrypts nothing, which scripts/tests/push.py does.
final class PushReceiver: PushTransport {
    private struct State {
        var tried: [PushRequest] = []
        var answer: @Sendable (PushRequest) -> PushAnswer = { _ in PushAnswer(status: 201) }
    }

    private let state = Mutex(State())

    var tried: [PushRequest] { state.withLock { $0.tried } }

    func answer(_ answer: @escaping @Sendable (PushRequest) -> PushAnswer) {
        state.withLock { $0.answer = answer }
    }

    func send(_ request: PushRequest) async throws -> PushAnswer {
        try Task.checkCancellation()
        return state.withLock { state in
            state.tried.append(request)
            return state.answer(request)
        }
    }
}

extension TestCloud {
    /// Registers a browser.
    func registerBrowser(
        _ name: String, as sender: Sender = .alice, auth: [UInt8] = Array(repeating: 1, count: 16)
    ) async throws -> Answer {
        let key = P256.KeyAgreement.PrivateKey().publicKey
        return try await send(
            .tokensRegister,
            [
                "apnsEnvironment": "development",
                "webPush": [
                    "endpoint": .string("https://push.example.org/\(name)"), "expirationTime": .null,
                    "keys": [
                        "p256dh": .string(Base64.encodeURL(Array(key.x963Representation))),
                        "auth": .string(Base64.encodeURL(auth)),
                    ],
                ],
            ], as: sender, in: .public)
    }

    /// Sends pushes while a test does something.
    func pushing(to receiver: PushReceiver, _ body: () async throws -> Void) async throws {
        let service = service
        let task = Task {
            try await service.runPushes(over: receiver, contact: "https://records.example.org")
        }
        do {
            try await body()
        } catch {
            task.cancel()
            try await task.value
            throw error
        }
        task.cancel()
        try await task.value
        await service.desk.save()
    }

    /// The receivers of everybody that are reached.
    func receivers() async throws -> [Subscribers.Receiver] {
        try await allReceivers().filter { $0.row.endedAt == nil }
    }

    /// The receivers of everybody, those that ended too.
    func allReceivers() async throws -> [Subscribers.Receiver] {
        let tenant = tenant
        return try await store.read(.long) { try Subscribers.receivers(of: nil, in: tenant, limit: 100, $0) }
    }
}

/// Pushes to browsers: encryption by the standard's example, and what becomes of answers.
@Suite struct WebPushTests {
    @Test func `A message is encrypted as in the example of RFC 8291`() throws {
        func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text)) }
        let receiver = try P256.KeyAgreement.PublicKey(
            x963Representation: bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"))
        let sealed = try WebPushEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: receiver,
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            sender: P256.KeyAgreement.PrivateKey(
                rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            Base64.encodeURL(sealed)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        let most = try WebPushEncryption.encrypt(
            Array(repeating: 7, count: WebPushEncryption.mostBytes), for: receiver, auth: [1],
            sender: .init(),
            salt: Array(repeating: 1, count: 16))
        #expect(most.count == WebPushEncryption.recordBytes)
    }

    @Test func `All nodes of a secret are one sender`() throws {
        let first = try VoluntaryIdentity(ServiceSecret(bytes: Array(repeating: 1, count: 32)))
        let second = try VoluntaryIdentity(ServiceSecret(bytes: Array(repeating: 1, count: 32)))
        let other = try VoluntaryIdentity(ServiceSecret(bytes: Array(repeating: 2, count: 32)))
        #expect(first.publicKey == second.publicKey && first.publicKey != other.publicKey)
        let header = try first.authorization(for: "https://push.example.org", contact: nil, now: 1_000)
        let token = try #require(header.dropFirst("vapid t=".count).split(separator: ",").first)
        let parts = token.split(separator: ".").map(String.init)
        let point = try #require(header.components(separatedBy: "k=").last.flatMap(Base64.decode))
        let key = try P256.Signing.PublicKey(x963Representation: point)
        let code = try #require(Base64.decode(parts[2]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: code)
        #expect(key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `A browser gets what its user's subscriptions tell, once, also after a restart`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("early", ["n": ["value": 1]])
            #expect(try await cloud.registerBrowser("a").json.text == "{}")
            #expect(try await cloud.registerBrowser("b", as: .bob).json.text == "{}")
            let receiver = PushReceiver()
            try await cloud.pushing(to: receiver) { () async throws in
                for number in 0..<5 { try await cloud.save("r\(number)", ["n": ["value": 1]]) }
                #expect(try await eventually { receiver.tried.count == 5 })
                // Who stops before an answer is noted sends the same again.
                #expect(try await eventually { try await cloud.receivers().contains { $0.state.taken == 5 } })
            }
            try await cloud.reopen()
            try await cloud.pushing(to: receiver) { () async throws in
                try await cloud.save("last", ["n": ["value": 1]])
                #expect(try await eventually { receiver.tried.count == 6 })
            }
            #expect(Set(receiver.tried.map(\.url)) == ["https://push.example.org/a"])
            #expect(Set(receiver.tried.map(\.body)).count == 6)
            let state = try #require(
                try await cloud.receivers().first { $0.row.user == TestCloud.Sender.alice.userName }?.state)
            #expect(state.taken == 6 && state.failed == 0 && state.lastTaken?.answer == "201")
            // The same address is the same receiver, which goes on; another user's starts over.
            _ = try await cloud.registerBrowser("a")
            #expect(try await cloud.receivers().count == 2)
            _ = try await cloud.registerBrowser("a", as: .bob)
            #expect(try await cloud.receivers().count { $0.row.user == TestCloud.Sender.bob.userName } == 2)
        }
    }

    @Test func `A push that is not taken waits as asked and is sent again, and the next ones after it`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            _ = try await cloud.registerBrowser("a")
            let receiver = PushReceiver()
            receiver.answer { _ in PushAnswer(status: 503, retryAfterSeconds: 600, text: "later\nplease") }
            try await cloud.pushing(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                try await cloud.save("b", ["n": ["value": 1]])
                #expect(try await eventually { try await cloud.receivers().first?.state.tries == 1 })
                let state = try #require(try await cloud.receivers().first?.state)
                #expect(state.lastError == "503 later please")
                #expect(state.dueAt - (state.failedSince ?? 0) >= 600_000)
                cloud.wait(milliseconds: 300_000)
                try await Task.sleep(for: .milliseconds(1_500))
                #expect(receiver.tried.count == 1)
                #expect(cloud.service.pushLagSeconds >= 300)
                receiver.answer { _ in PushAnswer(status: 201) }
                cloud.wait(milliseconds: 400_000)
                #expect(try await eventually { receiver.tried.count == 3 })
                #expect(try await eventually { try await cloud.receivers().first?.state.tries == 0 })
                #expect(cloud.service.pushLagSeconds == 0)
                #expect(cloud.service.pushDeliveries == (2, 1))
            }
        }
    }

    @Test func `A receiver of which its push service knows nothing is gone`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            for (name, status) in [("a", 404), ("b", 410)] {
                _ = try await cloud.registerBrowser(name)
                let receiver = PushReceiver()
                receiver.answer { _ in PushAnswer(status: status) }
                try await cloud.pushing(to: receiver) { () async throws in
                    try await cloud.save("x", ["n": ["value": 1]])
                    #expect(try await eventually { try await cloud.receivers().isEmpty })
                }
                #expect(receiver.tried.count == 1)
            }
        }
    }

    @Test func `What is no browser's address is refused, and a test is sent`() async throws {
        try await TestCloud.run { cloud in
            let bad = try await cloud.registerBrowser("a", auth: [1])
            #expect(bad.code == "BAD_REQUEST")
            for endpoint in ["ftp://x/y", "https://u:p@x/", "https:///a", "x", "https://x/\u{e9}"] {
                let answer = try await cloud.send(
                    .tokensRegister,
                    [
                        "apnsEnvironment": "development",
                        "webPush": ["endpoint": .string(endpoint), "keys": ["p256dh": "AA", "auth": "AA"]],
                    ], in: .public)
                #expect(answer.code == "BAD_REQUEST", "\(endpoint)")
            }
            #expect(try await cloud.receivers().isEmpty)
            _ = try await cloud.registerBrowser("a")
            let digest = try #require(try await cloud.receivers().first?.row.digest)
            let receiver = PushReceiver()
            let test = try await cloud.service.sendTestPush(to: digest, of: cloud.tenant, over: receiver)
            #expect(test.isTaken && receiver.tried.count == 1)
            #expect(
                receiver.tried.first?.headers.contains { $0.name == "TTL" && $0.value == "604800" } == true)
        }
    }
}
