internal import Crypto
internal import Foundation
internal import RecordWire

/// Signing in with the browser of this machine, which comes back to a port of the program (RFC 8252) with a code that only
/// this program can use (RFC 7636).
public struct BrowserSignIn: Sendable {
    private let server: SignInServer
    private let baseURL: String

    /// The path at which the program waits, which an API token's callback names: `http://127.0.0.1/`.
    static let path = "/"

    /// Names the container, the program and the server's address, without a `/` at its end.
    public init(_ server: SignInServer, baseURL: String) {
        self.server = server
        self.baseURL = baseURL
    }

    /// Has somebody sign in.
    ///
    /// - Parameters:
    ///   - name: what lists of sessions call the program.
    ///   - seconds: how long to wait for somebody.
    ///   - open: shows an address in the browser of this machine; the port is there while it runs and until it ends.
    /// - Throws: ``SignInProblem``; `CancellationError`; what `open` and the way of asking throw.
    public func signIn(
        as name: String, waitingSeconds seconds: Int = 600, open: @Sendable (String) async throws -> Void
    ) async throws -> SignInServer.Granted {
        let listener = try LoopbackListener()
        var generator = SystemRandomNumberGenerator()
        func secret() -> String {
            Base64.encodeURL((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        let (state, verifier) = (secret(), secret())
        let challenge = Base64.encodeURL(Array(SHA256.hash(data: Data(verifier.utf8))))
        let redirect = "http://127.0.0.1:\(listener.port)\(Self.path)"
        let query = [
            ("ckAPIToken", server.apiToken), ("redirect_uri", redirect), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ].map { "\($0)=\(SignInServer.encode($1))" }.joined(separator: "&")
        // The port answers while the address is opened: that may take until the browser is back.
        async let awaited = listener.code(path: Self.path, state: state, seconds: seconds)
        try await open("\(baseURL)\(server.path)?\(query)")
        let code = try await awaited
        let (_, json) = try await server.ask(
            "token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
                ("redirect_uri", redirect), ("client_id", server.apiToken), ("device_name", name),
            ])
        guard let granted = SignInServer.granted(json) else { throw SignInServer.problem(json) }
        return granted
    }
}
