import Crypto
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Requests signed with server-to-server keys.
@Suite struct ServerKeyTests {
    /// A cloud with a key, and a client that signs as it likes.
    struct Signer {
        let cloud: TestCloud
        let tenant: Tenant
        let key: P256.Signing.PrivateKey
        let keyID: String
        static let path = "/database/1/iCloud.test/development/public/records/query"

        init(_ cloud: TestCloud, environment: CloudEnvironment = .development) async throws {
            self.cloud = cloud
            tenant = Tenant(container: cloud.container, environment: environment)
            key = P256.Signing.PrivateKey()
            let created = try await ServerKeys.create(
                tenant: tenant, label: "nightly \(UUID())", user: nil,
                publicKey: key.publicKey.pemRepresentation,
                store: cloud.store, environment: Self.environment)
            #expect(created.privateKey == nil)
            keyID = created.id
        }

        static let environment = ServiceEnvironment(
            now: { 1_700_000_000_000 },
            random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } })

        static func date(_ milliseconds: Int64) -> String {
            let formatter = ISO8601DateFormatter()
            return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds / 1_000)))
        }

        /// The time of the cloud, as the headers have it.
        var now: String { Self.date(cloud.wait(milliseconds: 1_000)) }

        /// Signs one of the four texts.
        func signature(
            _ date: String, _ body: [UInt8], target: String = path, hashesNothing: Bool = true,
            with key: P256.Signing.PrivateKey? = nil
        ) throws -> P256.Signing.ECDSASignature {
            let digest =
                body.isEmpty && !hashesNothing ? "" : Base64.encode(Array(SHA256.hash(data: body)))
            return try (key ?? self.key).signature(for: Data("\(date):\(digest):\(target)".utf8))
        }

        func send(
            _ body: [UInt8], to endpoint: Endpoint = .recordsQuery, date: String?, signature: String?,
            target: String = path, keyID: String? = nil, tenant: Tenant? = nil,
            in scope: DatabaseScope = .public
        ) async throws -> TestCloud.Answer {
            let signed = RequestSignature(
                keyID: keyID ?? self.keyID, date: date, signature: signature, target: target)
            return try await cloud.send(
                endpoint, bytes: body,
                credentials: Credentials(apiToken: nil, webAuthToken: nil, signature: signed),
                tenant: tenant ?? self.tenant, in: scope)
        }
    }

    static let query = Array(#"{"query":{"recordType":"Note"}}"#.utf8)

    @Test func `The four texts that clients sign are good, and no other`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            try await cloud.save("r", ["n": ["value": 1]], in: .public)
            let path = Signer.path
            let whole = path + "?ckjsBuildVersion=2.6.4&x=%2F+%20"
            for target in [path, whole] {
                let date = signer.now
                let text = try signer.signature(date, Self.query, target: target).derRepresentation
                let answer = try await signer.send(
                    Self.query, date: date, signature: text.base64EncodedString(), target: whole)
                #expect(answer.names == ["r"], "\(answer.json.text)")
                for hashesNothing in [true, false] {
                    let date = signer.now
                    let caller = target.replacing("records/query", with: "users/caller")
                    let text = try signer.signature(date, [], target: caller, hashesNothing: hashesNothing)
                    let answer = try await signer.send(
                        [], to: .usersCaller, date: date,
                        signature: text.derRepresentation.base64EncodedString(),
                        target: whole.replacing("records/query", with: "users/caller"))
                    #expect(answer.code == nil && answer.json["userRecordName"].string?.count == 33)
                }
            }
            let date = signer.now
            let refused: [(body: [UInt8], target: String, hashesNothing: Bool)] = [
                (Array("{}".utf8), path, true), (Self.query, path + "x", true), (Self.query, "", true),
                ([], path, true), ([], path, false),
            ]
            for item in refused {
                let text = try signer.signature(
                    date, item.body, target: item.target, hashesNothing: item.hashesNothing)
                let answer = try await signer.send(
                    Self.query, date: date, signature: text.derRepresentation.base64EncodedString())
                #expect(answer.code == "AUTHENTICATION_FAILED" && answer.status == 401)
            }
        }
    }

    @Test func `A key acts as its user, in the public database and with that user's roles`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            try await cloud.save("others", ["n": ["value": 1]], in: .public)
            func modify(_ operation: JSONValue) async throws -> TestCloud.Answer {
                let body = (["operations": [operation]] as JSONValue).bytes
                let date = signer.now
                let text = try signer.signature(date, body)
                return try await signer.send(
                    body, to: .recordsModify, date: date,
                    signature: text.derRepresentation.base64EncodedString())
            }
            let mine = try await modify(TestCloud.operation("create", "mine", fields: ["n": ["value": 2]]))
            #expect(mine.codes == [nil])
            let user = mine.records[0]["created"]["userRecordName"].string ?? ""
            let change = TestCloud.operation("forceUpdate", "others", fields: ["n": ["value": 3]])
            #expect(try await modify(change).codes == ["ACCESS_DENIED"])
            let tenant = signer.tenant
            try await cloud.store.write { try $0.setRoles(["Importer"], tenant: tenant) }
            try await cloud.grant(.write, to: "Importer")
            try await SecurityRoles.give("Importer", to: user, in: tenant, store: cloud.store)
            cloud.wait(milliseconds: 6_000)
            #expect(try await modify(change).codes == [nil])
            for scope in [DatabaseScope.private, .shared] {
                let date = signer.now
                let text = try signer.signature(date, Self.query)
                let answer = try await signer.send(
                    Self.query, date: date, signature: text.derRepresentation.base64EncodedString(), in: scope
                )
                #expect(answer.code == "ACCESS_DENIED")
            }
        }
    }

    @Test func `Dates beyond ten minutes are refused`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            let now = cloud.wait(milliseconds: 3_600_000)
            for (offset, isGood) in [
                (-599_000, true), (599_000, true), (-602_000, false), (602_000, false), (-86_400_000, false),
            ] as [(Int64, Bool)] {
                let date = Signer.date(now + offset)
                let text = try signer.signature(date, Self.query).derRepresentation.base64EncodedString()
                let answer = try await signer.send(Self.query, date: date, signature: text)
                // There is no type yet: who is let in hears so.
                #expect(answer.code == (isGood ? "NOT_FOUND" : "AUTHENTICATION_FAILED"), "\(offset)")
            }
            for date in [
                "", "2026", "2026-02-30T00:00:00Z", "2023-11-14T22:13:20", "2023-11-14T22:13:20+01:00",
                "2023-11-14 22:13:20Z", "2023-11-14T22:13:20.Z", "2023-11-14T24:00:00Z",
                " 2023-11-14T22:13:20Z",
                "99999-01-01T00:00:00Z", String(repeating: "9", count: 100_000),
            ] {
                let text = try signer.signature(date, Self.query).derRepresentation.base64EncodedString()
                let answer = try await signer.send(Self.query, date: date, signature: text)
                #expect(answer.code == "AUTHENTICATION_FAILED", "\(date.prefix(40))")
            }
            let fraction = Signer.date(now).dropLast() + ".123456Z"
            let text = try signer.signature(String(fraction), Self.query)
            let answer = try await signer.send(
                Self.query, date: String(fraction), signature: text.derRepresentation.base64EncodedString())
            #expect(answer.code == "NOT_FOUND")
        }
    }

    @Test func `A signature is good once, also turned around`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            let date = signer.now
            let signature = try signer.signature(date, Self.query)
            let turned = try P256.Signing.ECDSASignature(
                rawRepresentation: signature.rawRepresentation.prefix(32)
                    + Self.negated(signature.rawRepresentation.suffix(32)))
            #expect(turned.rawRepresentation != signature.rawRepresentation)
            for (round, form) in [signature, signature, turned].enumerated() {
                let answer = try await signer.send(
                    Self.query, date: date, signature: form.derRepresentation.base64EncodedString())
                #expect(answer.code == (round == 0 ? "NOT_FOUND" : "AUTHENTICATION_FAILED"))
            }
            // The same request again is another signature.
            let again = try signer.signature(date, Self.query)
            let answer = try await signer.send(
                Self.query, date: date, signature: again.derRepresentation.base64EncodedString())
            #expect(answer.code == "NOT_FOUND")
            // High and low second numbers are both what clients send.
            let other = signer.now
            let high = try signer.signature(other, Self.query)
            let form = try P256.Signing.ECDSASignature(
                rawRepresentation: high.rawRepresentation.prefix(32)
                    + Self.negated(high.rawRepresentation.suffix(32)))
            let taken = try await signer.send(
                Self.query, date: other, signature: form.derRepresentation.base64EncodedString())
            #expect(taken.code == "NOT_FOUND")
        }
    }

    /// The order of the group less a number.
    private static func negated(_ number: Data) -> Data {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var result = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            var value = Int(order[index]) - Int(Array(number)[index]) - borrow
            borrow = value < 0 ? 1 : 0
            if value < 0 { value += 256 }
            result[index] = UInt8(value)
        }
        return Data(result)
    }

    @Test func `Malformed headers are refused, however long they are`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            let date = signer.now
            let good = try signer.signature(date, Self.query)
            let der = Array(good.derRepresentation)
            let text = Base64.encode(der)
            let long = String(repeating: "A", count: 1_000_000)
            // Another tag, a wrong length, bytes after the end, a length in the long form, one byte less, nothing.
            let oddities: [[UInt8]] = [
                [0x31] + der.dropFirst(), [0x30, der[1] &+ 1] + der.dropFirst(2), der + [0],
                [0x30, 0x81] + der.dropFirst(), der.dropLast(), [], [0x30, 0], [0x30, 6, 2, 1, 0, 2, 1, 0],
                [0x30, 6, 2, 1, 1, 2, 1, 0], Array(good.rawRepresentation),
            ]
            var signatures = oddities.map { Base64.encode(Array($0)) } + ["", "=", "not base64!", long]
            signatures.append(text + " ")
            for signature in signatures {
                let answer = try await signer.send(Self.query, date: date, signature: signature)
                #expect(answer.code == "AUTHENTICATION_FAILED", "\(signature.prefix(80))")
            }
            for keyID in [
                "", "k", long, String(signer.keyID.dropLast()), signer.keyID + "0",
                String(repeating: "g", count: 64), String(repeating: "0", count: 64),
            ] {
                let answer = try await signer.send(Self.query, date: date, signature: text, keyID: keyID)
                #expect(answer.code == "AUTHENTICATION_FAILED", "\(keyID.prefix(80))")
            }
            for (date, signature) in [(nil, text), (date, nil), (nil, nil)] as [(String?, String?)] {
                let answer = try await signer.send(Self.query, date: date, signature: signature)
                #expect(answer.code == "AUTHENTICATION_FAILED")
            }
            // None of this used the signature up; capitals are as good.
            let answer = try await signer.send(
                Self.query, date: date, signature: text, keyID: signer.keyID.uppercased())
            #expect(answer.code == "NOT_FOUND")
        }
    }

    @Test func `A key is for one container and one environment, until it is revoked`() async throws {
        try await TestCloud.run { cloud in
            let signer = try await Signer(cloud)
            let others = [
                Tenant(container: cloud.container, environment: .production),
                Tenant(container: try ContainerID("iCloud.other"), environment: .development),
            ]
            func code(_ tenant: Tenant?, with key: P256.Signing.PrivateKey? = nil) async throws -> String? {
                let date = signer.now
                let text = try signer.signature(date, Self.query, with: key)
                return try await signer.send(
                    Self.query, date: date, signature: text.derRepresentation.base64EncodedString(),
                    tenant: tenant
                ).code
            }
            for tenant in others { #expect(try await code(tenant) == "AUTHENTICATION_FAILED") }
            #expect(try await code(nil, with: P256.Signing.PrivateKey()) == "AUTHENTICATION_FAILED")
            #expect(try await code(nil) == "NOT_FOUND")
            var used: Int64?
            for _ in 0..<500 where used == nil {
                used = try await ServerKeys.all(of: signer.tenant, store: cloud.store).first?.row.usedAt
                if used == nil { try await Task.sleep(for: .milliseconds(10)) }
            }
            #expect(used != nil, "the last use is noted beside the request")
            let revoked = try await ServerKeys.revoke(signer.keyID, of: signer.tenant, store: cloud.store)
            #expect(revoked.digest.hex == signer.keyID)
            cloud.wait(milliseconds: 6_000)
            #expect(try await code(nil) == "AUTHENTICATION_FAILED")
            await #expect(throws: ServiceError.self) {
                try await ServerKeys.revoke(signer.keyID, of: signer.tenant, store: cloud.store)
            }
            #expect(
                try await cloud.send(
                    .recordsQuery, bytes: Self.query,
                    credentials: Credentials(apiToken: signer.keyID, webAuthToken: nil),
                    tenant: signer.tenant,
                    in: .public
                ).code == "AUTHENTICATION_FAILED", "a key's id is no token")
        }
    }

    @Test func `Only halves of P-256 keys are taken in, each once`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            func create(_ pem: String?, _ label: String) async throws -> ServerKeys.Created {
                try await ServerKeys.create(
                    tenant: tenant, label: label, user: nil, publicKey: pem, store: cloud.store,
                    environment: Signer.environment)
            }
            for pem in [
                "", "nonsense", P384.Signing.PrivateKey().publicKey.pemRepresentation,
                P256.Signing.PrivateKey().pemRepresentation,
            ] {
                let error = await #expect(throws: ServiceError.self) { try await create(pem, "k") }
                #expect(error?.code == .badRequest)
            }
            let pair = try await create(nil, "made here")
            let key = try P256.Signing.PrivateKey(pemRepresentation: pair.privateKey ?? "")
            #expect(pair.id == ServerKeys.id(of: key.publicKey).hex && pair.id.count == 64)
            let error = await #expect(throws: ServiceError.self) {
                try await create(key.publicKey.pemRepresentation, "again")
            }
            #expect(error?.code == .exists)
            // What the command signs is good.
            let date = Signer.date(cloud.wait(milliseconds: 1_000))
            let headers = try RequestSigning.sign(Signer.path, body: Self.query, date: date, with: key)
            let answer = try await cloud.send(
                .recordsQuery, bytes: Self.query,
                credentials: Credentials(
                    apiToken: nil, webAuthToken: nil,
                    signature: RequestSignature(
                        keyID: headers.keyID, date: headers.date, signature: headers.signature,
                        target: Signer.path)), tenant: tenant, in: .public)
            #expect(answer.code == "NOT_FOUND")
        }
    }
}
