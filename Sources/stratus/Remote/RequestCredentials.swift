import Crypto
import Foundation
import RecordEngine
import RecordImport
import SignInClient
import Synchronization

/// What lets a command's requests in: tokens in the address, or a signature.
final class RequestCredentials: Sendable {
    private enum Kind: Sendable {
        case tokens(api: String?)
        case key(id: String, P256.Signing.PrivateKey)
    }

    private let kind: Kind
    private let webAuthToken: Mutex<String?>
    /// Where the user's next token is kept for the next command.
    private let file: CredentialFile?

    /// Tokens of an app and, for a user, of the user.
    init(apiToken: String?, webAuthToken: String?, keptIn file: CredentialFile? = nil) {
        kind = .tokens(api: apiToken)
        self.file = file
        self.webAuthToken = Mutex(webAuthToken)
    }

    /// A server-to-server key: its id and its private half as PEM in a file.
    ///
    /// - Throws: a ``Failure`` where the file has no such key.
    init(keyID: String, file: String) throws {
        // What follows says the file and what to do.
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: pem)
        else {
            throw Failure.usage(
                "The file \(file) has no private P-256 key as PEM.",
                remedy:
                    "Name the file that 'openssl ecparam -name prime256v1 -genkey' or 'stratus key create --out' made."
            )
        }
        kind = .key(id: keyID, key)
        self.file = nil
        webAuthToken = Mutex(nil)
    }

    /// Whether requests are signed.
    var isKey: Bool { if case .key = kind { true } else { false } }

    /// What goes after the question mark of an address.
    var query: String? {
        guard case .tokens(let api) = kind else { return nil }
        let members = [("ckAPIToken", api), ("ckWebAuthToken", webAuthToken.withLock { $0 })]
        let parts = members.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
        return parts.isEmpty ? nil : parts.joined(separator: "&")
    }

    /// The headers of a request.
    func headers(path: String, body: [UInt8]) throws -> [String: String] {
        guard case .key(let id, let key) = kind else { return [:] }
        let date = ISOTime.text(Clock.milliseconds / 1_000 * 1_000)
        let signed = try RequestSigning.sign(path, body: body, date: date, with: key)
        return [
            "X-Apple-CloudKit-Request-KeyID": id, "X-Apple-CloudKit-Request-ISO8601Date": signed.date,
            "X-Apple-CloudKit-Request-SignatureV1": signed.signature,
        ]
    }

    /// Takes over the token for the next request, which Apple's service gives with each answer (Documentation/Protocol.md,
    /// 'Tokens').
    func renew(from headers: [String: String]) {
        let names = ["x-apple-cloudkit-web-auth-token", "x-apple-cloudkit-session"]
        guard let token = names.lazy.compactMap({ headers[$0] }).first(where: { !$0.isEmpty }) else { return }
        let old = webAuthToken.withLock { current -> String? in
            guard let old = current, old != token else { return nil }
            current = token
            return old
        }
        // A token that cannot be kept is good for this command; the one before stays good until the next one is used.
        if let old { try? file?.renew(old, with: token) }
    }

    /// Tokens of other servers hold '+', '/' and '=', which mean something else in an address.
    private static func escaped(_ token: String) -> String {
        token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
