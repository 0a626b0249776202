internal import Foundation
public import RecordModel
internal import RecordWire

/// The sign-in page of a container as programs speak to it, over any way of asking.
public struct SignInServer: Sendable {
    /// An answer to a form.
    public struct Answer: Sendable {
        /// The HTTP status.
        public var status: Int
        /// The whole body.
        public var body: [UInt8]

        /// Makes an answer.
        public init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// Posts a form (`application/x-www-form-urlencoded`) to a path and gives the answer.
    public typealias Post = @Sendable (_ path: String, _ form: [UInt8]) async throws -> Answer

    /// Who was signed in.
    public struct Granted: Sendable, Equatable {
        /// A web auth token.
        public var token: String
        /// The user's record name.
        public var user: String
    }

    /// The container and the environment.
    public let tenant: Tenant
    /// The API token of the program.
    public let apiToken: String
    private let post: Post

    /// Names the container and the program, and says how to ask.
    public init(tenant: Tenant, apiToken: String, post: @escaping Post) {
        self.tenant = tenant
        self.apiToken = apiToken
        self.post = post
    }

    /// The path of the page.
    var path: String { "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)" }

    /// Ends the session of a token. One that is not good any more is none to end.
    ///
    /// - Throws: ``SignInProblem``, and what the way of asking throws.
    public func revoke(_ token: String) async throws {
        let (status, json) = try await ask("revoke", [("token", token)])
        guard status == 200 else { throw Self.problem(json) }
    }

    func ask(
        _ question: String, _ form: [(name: String, value: String)]
    ) async throws -> (status: Int, json: JSONObject) {
        let text = form.map { "\($0.name)=\(Self.encode($0.value))" }.joined(separator: "&")
        let answer = try await post("\(path)/device/\(question)", Array(text.utf8))
        return (answer.status, (try? JSONReader.read(answer.body).object) ?? JSONObject())
    }

    /// What an answer that grants says; nil for another one.
    static func granted(_ json: JSONObject) -> Granted? {
        guard let token = json["access_token"]?.string, !token.isEmpty else { return nil }
        return Granted(token: token, user: json["userRecordName"]?.string ?? "")
    }

    static func problem(_ json: JSONObject) -> SignInProblem {
        switch json["error"]?.string {
        case "invalid_client":
            return SignInProblem(
                .unknownApp, "The API token is not valid for this container.",
                remedy: "Check the token, the container and the environment.")
        case "access_denied": return SignInProblem(.denied, "The sign-in was denied in the browser.")
        case "expired_token", "invalid_grant":
            return SignInProblem(.late, "Nobody signed in in time.", remedy: "Start again.")
        case let code?: return SignInProblem(.badAnswer, "The server refused: \(code.prefix(100))")
        case nil:
            let isBusy = ["THROTTLED", "TRY_AGAIN_LATER"].contains(json["serverErrorCode"]?.string)
            return SignInProblem(
                isBusy ? .busy : .badAnswer,
                json["reason"]?.string ?? "The answer is not from a record service.",
                remedy: isBusy ? nil : "Check the address of the server.",
                retryAfterSeconds: json["retryAfter"]?.double)
        }
    }

    static func encode(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
