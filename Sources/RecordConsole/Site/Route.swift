import HTTPTypes
import RecordServer

/// An address of the console and what answers it.
struct Route: Sendable {
    /// Who may ask.
    enum Access: Sendable {
        case anyone
        case operators
        /// Anyone, and it does not matter who it is: nobody looks for a session.
        case nobody
    }

    let method: HTTPRequest.Method
    let pattern: [String]
    var access = Access.operators
    /// Who reads the body of a POST.
    enum Body: Sendable {
        /// The console, as a form, before the handler is called.
        case form
        /// The handler, with ``ConsoleContext/readingForm(_:)``, which checks the form's token.
        case formWithFiles
        /// The handler, as a stream; the token is in the header.
        case stream
    }

    var body = Body.form
    /// Whether operators who may only look are answered too: of what is posted, what changes nothing but their own session.
    var isForReaders: Bool
    /// Whether it changes nothing although it is posted, so that the list of requests leaves it out.
    var isLook = false
    let handler: @Sendable (ConsoleContext) async throws -> SiteAnswer

    /// A page; a segment that begins with `:` matches anything and is a parameter.
    static func get(
        _ pattern: String, access: Access = .operators,
        _ handler: @escaping @Sendable (ConsoleContext) async throws -> SiteAnswer
    ) -> Route {
        Route(
            method: .get, pattern: segments(pattern), access: access, isForReaders: true, handler: handler)
    }

    /// A change; it carries the session's CSRF token. Operators who may only look are refused.
    static func post(
        _ pattern: String, access: Access = .operators, body: Body = .form, isForReaders: Bool = false,
        isLook: Bool = false, _ handler: @escaping @Sendable (ConsoleContext) async throws -> SiteAnswer
    ) -> Route {
        Route(
            method: .post, pattern: segments(pattern), access: access, body: body, isForReaders: isForReaders,
            isLook: isLook, handler: handler)
    }

    private static func segments(_ pattern: String) -> [String] {
        pattern.split(separator: "/").map(String.init)
    }

    /// Whether the pattern matches a path.
    func matches(_ path: [String]) -> Bool {
        path.count == pattern.count
            && zip(pattern, path).allSatisfy { part, text in part == text || part.hasPrefix(":") }
    }

    /// The parameters of a path that the pattern matches.
    func parameters(of path: [String]) -> [String: String] {
        var parameters: [String: String] = [:]
        for (part, text) in zip(pattern, path) where part.hasPrefix(":") {
            parameters[String(part.dropFirst())] = text
        }
        return parameters
    }

    /// How many parameters the pattern has.
    var parameterCount: Int { pattern.count { $0.hasPrefix(":") } }
}

/// Every address of the console.
enum Routes {
    static let all: [Route] =
        StaticFiles.routes + SignInPages.routes + OverviewPages.routes + UserPages.routes
        + SignInSectionPages.routes
        + SubscriptionPages.routes + WebhookPages.routes + ZonePages.routes + AuditPages.routes
        + SharePages.routes + AccessPages.routes
        + SchemaPages.routes + AssetPages.routes
        + FilePages.routes
        + RecordsPages.routes + RequestPages.routes + RejectedModel.routes + ChartPages.routes
        + BackupPages.routes

    /// What an address has in common with the patterns that may match it. No pattern begins with a parameter.
    private struct Room: Hashable {
        var method: HTTPRequest.Method
        var first: String?
        var count: Int
    }

    /// The routes by room; in each those with few parameters first, so that exact words go before parameters.
    private static let rooms: [Room: [Route]] = Dictionary(grouping: all) { route in
        Room(method: route.method, first: route.pattern.first, count: route.pattern.count)
    }.mapValues { routes in
        // In the order of their list where they have the same number.
        routes.enumerated().sorted { one, other in
            (one.element.parameterCount, one.offset) < (other.element.parameterCount, other.offset)
        }.map(\.element)
    }

    /// The route of a request, exact words before parameters.
    static func find(_ method: HTTPRequest.Method, _ path: [String]) -> (Route, [String: String])? {
        let room = rooms[Room(method: method, first: path.first, count: path.count)]
        return room?.first { $0.matches(path) }.map { ($0, $0.parameters(of: path)) }
    }
}
