import Crypto
import Foundation
import JWTKit
import RecordEngine
import RecordModel
import RecordStorage
import Synchronization
import TestSupport

@testable import OpenIDConnect

/// A provider on loopback that does what a test says, also wrong.
final class ScriptedProvider: Sendable {
    struct Script: Sendable {
        /// Members of the description in the place of the right ones.
        var description: [String: String] = [:]
        var keys = ""
        var token = ""
        var answers: [String: LoopbackServer.Answer] = [:]
    }

    private struct Claims: JWTPayload {
        var members: [String: JSONValue]
        func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
        init(from decoder: any Decoder) throws { members = try [String: JSONValue](from: decoder) }
        init(_ members: [String: JSONValue]) { self.members = members }
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    enum JSONValue: Codable, Sendable {
        case text(String), number(Double), bool(Bool), list([String])
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .bool(let value): try container.encode(value)
            case .list(let value): try container.encode(value)
            }
        }
        init(from decoder: any Decoder) throws { self = .text("") }
    }

    let server: LoopbackServer
    private let box: ScriptBox
    let key = ES256PrivateKey()
    let now = Mutex<Int64>(1_700_000_000_000)

    init() throws {
        let box = ScriptBox()
        let server = try LoopbackServer { request in box.answer(request) }
        self.server = server
        self.box = box
        box.url = server.url
    }

    /// What the server's threads see of the script.
    final class ScriptBox: Sendable {
        private let state = Mutex<(Script, String)>((Script(), ""))
        var url: String {
            get { state.withLock { $0.1 } }
            set { state.withLock { $0.1 = newValue } }
        }
        var script: Script {
            get { state.withLock { $0.0 } }
            set { state.withLock { $0.0 = newValue } }
        }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            let (script, url) = state.withLock { $0 }
            if let answer = script.answers[request.path] { return answer }
            switch request.path {
            case "/.well-known/openid-configuration":
                var members = [
                    "issuer": url, "authorization_endpoint": url + "/authorize",
                    "token_endpoint": url + "/token", "jwks_uri": url + "/keys",
                ]
                members.merge(script.description) { $1 }
                return .json("{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}")
            case "/keys": return .json(script.keys)
            case "/token": return .json("{\"access_token\":\"x\",\"id_token\":\"\(script.token)\"}")
            default: return .json("{}", status: "404 Not Found")
            }
        }
    }

    func change(_ change: (inout Script) -> Void) {
        var script = box.script
        change(&script)
        box.script = script
    }

    /// The public half of a key, as providers publish it.
    func published(_ key: ES256PrivateKey? = nil, kid: String? = "one", more: String = "") -> String {
        func url(_ text: String?) -> String {
            (text ?? "").replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let parameters = (key ?? self.key).publicKey.parameters
        let name = kid.map { "\"kid\":\"\($0)\"," } ?? ""
        return
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\(name)\(more)\"x\":\"\(url(parameters?.x))\",\"y\":\"\(url(parameters?.y))\"}"
    }

    /// The claims of a good token, some of them changed; nil takes one away.
    func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        let seconds = Double(now.withLock { $0 }) / 1_000
        var members: [String: JSONValue] = [
            "iss": .text(server.url), "sub": .text("ada"), "aud": .text("client"), "nonce": .text("nonce"),
            "exp": .number(seconds + 300), "iat": .number(seconds), "email": .text("Ada@Example.org"),
            "email_verified": .bool(true),
        ]
        for (name, value) in changes { members[name] = value }
        return members
    }

    func signed(
        _ claims: [String: JSONValue], with key: ES256PrivateKey? = nil, kid: String? = "one"
    ) async throws -> String {
        let identifier = JWKIdentifier(string: kid ?? "none")
        let keys = await JWTKeyCollection().add(ecdsa: key ?? self.key, kid: identifier)
        return try await keys.sign(Claims(claims), kid: kid == nil ? nil : identifier)
    }

    /// A token of any head, with a signature that is given.
    func forged(head: String, _ claims: [String: JSONValue], signature: (String) -> [UInt8]) throws -> String
    {
        func url(_ bytes: some Sequence<UInt8>) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        let text = url(head.utf8) + "." + url(try JSONEncoder().encode(claims))
        return text + "." + url(signature(text))
    }

    /// Signs in with a script that is good but for what a test changed.
    func prepare(_ token: String) {
        change { script in
            script.token = token
            if script.keys.isEmpty { script.keys = "{\"keys\":[\(published())]}" }
        }
    }

    var row: SignInProviderRow {
        get throws {
            SignInProviderRow(
                tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
                name: "test", title: "Test", issuer: server.url, clientID: "client", createdAt: 0)
        }
    }

    func providers(seconds: Double = 5) -> OpenIDProviders {
        OpenIDProviders(
            environment: ServiceEnvironment(
                now: { [self] in now.withLock { $0 } }, random: { Array(repeating: 1, count: $0) }),
            seconds: seconds)
    }

    static let visit = ProviderVisit(
        redirect: "http://localhost/back", state: "state", nonce: "nonce", verifier: "verifier")
}
