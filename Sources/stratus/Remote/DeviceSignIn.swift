import CurlAccess
import Foundation
import RecordModel
import RecordWire

/// Signing in by a code that somebody enters elsewhere (RFC 8628), from the device's side.
struct DeviceSignIn: Sendable {
    /// What the device shows, and what it asks with.
    struct Codes: Sendable {
        var deviceCode: String
        var userCode: String
        var page: String
        var wholePage: String
        var lifetimeSeconds: Int
        var intervalSeconds: Int
    }

    let url: URL
    let tenant: Tenant
    let apiToken: String
    private let client = CurlClient(connectionsPerHost: 1)

    private static let answerBytes = 65_536
    private static let secondsWithoutAnswer = 30.0
    private static let longestIntervalSeconds = 60

    /// Names the server, the container and the app.
    init(url: URL, tenant: Tenant, apiToken: String) {
        self.url = url
        self.tenant = tenant
        self.apiToken = apiToken
    }

    /// Asks for codes.
    ///
    /// - Throws: a ``Failure``.
    func begin() async throws -> Codes {
        let json: JSONObject
        do {
            json = try await ask(
                "code",
                ["client_id": apiToken, "device_name": "stratus on \(ProcessInfo.processInfo.hostName)"]
            ).json
        } catch let error as CurlError where error.kind != .cancelled {
            throw Failure(
                "The server at \(url.absoluteString) cannot be reached: \(error)",
                remedy: "Name its address with --url or STRATUS_URL.")
        }
        guard let deviceCode = json["device_code"]?.string, let userCode = json["user_code"]?.string,
            let page = json["verification_uri"]?.string
        else { throw Self.failure(json) }
        return Codes(
            deviceCode: deviceCode, userCode: userCode, page: page,
            wholePage: json["verification_uri_complete"]?.string ?? page,
            lifetimeSeconds: Int(json["expires_in"]?.int ?? 600),
            intervalSeconds: Int(json["interval"]?.int ?? 5))
    }

    /// Waits until somebody has entered the code.
    ///
    /// - Throws: a ``Failure`` where nobody did in time, or somebody said no.
    func wait(for codes: Codes) async throws -> (token: String, user: String) {
        var interval = codes.intervalSeconds
        let end = ContinuousClock.now + .seconds(codes.lifetimeSeconds)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(min(max(1, interval), Self.longestIntervalSeconds)))
            let json: JSONObject
            do {
                json = try await ask(
                    "token",
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                        "device_code": codes.deviceCode, "client_id": apiToken,
                    ]
                ).json
            } catch let error as CurlError where error.kind != .cancelled {
                // The network may come back (RFC 8628, 3.5).
                interval = min(interval * 2, Self.longestIntervalSeconds)
                continue
            }
            if let token = json["access_token"]?.string {
                return (token, json["userRecordName"]?.string ?? "")
            }
            switch json["error"]?.string {
            case "authorization_pending": continue
            case "slow_down": interval += 5
            case "access_denied": throw Failure("The sign-in was denied in the browser.")
            case "expired_token": throw Self.late
            default:
                // A server that has too much to do says so in its own words.
                guard json["serverErrorCode"]?.string != nil else { throw Self.failure(json) }
                interval += 5
            }
        }
        throw Self.late
    }

    /// Ends the session of a token.
    ///
    /// - Throws: a ``Failure`` where the server cannot be reached.
    func revoke(_ token: String) async throws {
        do {
            _ = try await ask("revoke", ["token": token])
        } catch let error as CurlError {
            throw Failure(
                "The token is forgotten here, but the server cannot be reached: \(error)",
                remedy: "End the session on the page of your account.")
        }
    }

    private static let late = Failure(
        "Nobody entered the code in time.", remedy: "Run 'stratus login' again for another one.")

    private static func failure(_ json: JSONObject) -> Failure {
        switch json["error"]?.string {
        case "invalid_client":
            Failure.usage(
                "The API token is not good for this container.", remedy: "Check --api-token and --container.")
        case let code?: Failure("The server refused: \(code)")
        case nil:
            Failure(
                json["reason"]?.string ?? "The answer is none of a record service.",
                remedy: "Check the address in --url.")
        }
    }

    private func ask(_ question: String, _ form: [String: String]) async throws -> (
        status: Int, json: JSONObject
    ) {
        let base =
            url.absoluteString.hasSuffix("/") ? String(url.absoluteString.dropLast()) : url.absoluteString
        let text = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        var request = CurlRequest(
            url: "\(base)/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/device/\(question)",
            body: .bytes(Array(text.utf8), type: "application/x-www-form-urlencoded"),
            to: .memory(maximumBytes: Self.answerBytes), secondsWithoutBytes: Self.secondsWithoutAnswer)
        request.headers = ["Accept": "application/json"]
        request.followsRedirections = false
        let answer = try await client.send(request)
        return (answer.status, (try? JSONReader.read(answer.body).object) ?? JSONObject())
    }
}
