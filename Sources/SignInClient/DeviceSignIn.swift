internal import RecordWire

/// Signing in by a code that somebody enters in any browser (RFC 8628), from the device's side.
public struct DeviceSignIn: Sendable {
    /// What the device shows, and what it asks with.
    public struct Codes: Sendable {
        /// What somebody enters.
        public var userCode: String
        /// Where.
        public var page: String
        /// The same page with the code in its address, for a picture or a link.
        public var wholePage: String
        /// How long the code is good.
        public var lifetimeSeconds: Int
        var deviceCode: String
        var intervalSeconds: Int
    }

    private let server: SignInServer
    private static let longestIntervalSeconds = 60
    private static let longestLifetimeSeconds = 3_600
    /// How much longer to wait where the server says to slow down (RFC 8628, 3.5).
    private static let stepSeconds = 5

    /// Names the container and the program.
    public init(_ server: SignInServer) { self.server = server }

    /// Asks for codes.
    ///
    /// - Parameter name: what the page calls the device.
    /// - Throws: ``SignInProblem``, and what the way of asking throws.
    public func begin(as name: String) async throws -> Codes {
        let json = try await server.ask("code", [("client_id", server.apiToken), ("device_name", name)]).json
        guard let deviceCode = json["device_code"]?.string, let userCode = json["user_code"]?.string,
            let page = json["verification_uri"]?.string
        else { throw SignInServer.problem(json) }
        let lifetime = Int(clamping: json["expires_in"]?.int ?? 600)
        return Codes(
            userCode: userCode, page: page, wholePage: json["verification_uri_complete"]?.string ?? page,
            lifetimeSeconds: min(max(1, lifetime), Self.longestLifetimeSeconds), deviceCode: deviceCode,
            intervalSeconds: Int(clamping: json["interval"]?.int ?? 5))
    }

    /// Waits until somebody has entered the code. A network that is gone for a while is waited for too.
    ///
    /// - Throws: ``SignInProblem`` where nobody did in time, or somebody said no; `CancellationError`.
    public func wait(for codes: Codes) async throws -> SignInServer.Granted {
        var interval = codes.intervalSeconds
        let end = ContinuousClock.now + .seconds(codes.lifetimeSeconds)
        while ContinuousClock.now < end {
            interval = min(max(1, interval), Self.longestIntervalSeconds)
            try await Task.sleep(for: .seconds(interval))
            let json: JSONObject
            do {
                json = try await server.ask(
                    "token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                        ("device_code", codes.deviceCode), ("client_id", server.apiToken),
                    ]
                ).json
            } catch {
                try Task.checkCancellation()
                interval *= 2
                continue
            }
            if let granted = SignInServer.granted(json) { return granted }
            switch json["error"]?.string {
            case "authorization_pending": continue
            case "slow_down": interval += Self.stepSeconds
            default:
                let problem = SignInServer.problem(json)
                guard problem.code == .busy else { throw problem }
                interval += Self.stepSeconds
            }
        }
        throw SignInProblem(
            .late, "Nobody entered the code in time.", remedy: "Start again for another code.")
    }
}
