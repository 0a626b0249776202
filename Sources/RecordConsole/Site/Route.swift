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
        _ handler: @escaping @Sendable (ConsoleContext) async throws -> SiteAnswer
    ) -> Route {
        Route(
            method: .post, pattern: segments(pattern), access: access, body: body, isForReaders: isForReaders,
            handler: handler)
    }

    private static func segments(_ pattern: String) -> [String] {
        pattern.split(separator: "/").map(String.init)
    }

    /// The parameters of a path that the pattern matches; nil for another path.
    func parameters(of path: [String]) -> [String: String]? {
        guard path.count == pattern.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(pattern, path) {
            if part.hasPrefix(":") {
                parameters[String(part.dropFirst())] = text
            } else if part != text {
                return nil
            }
        }
        return parameters
    }
}

/// Every address of the console.
enum Routes {
    static let all: [Route] =
        StaticFiles.routes + SignInPages.routes + OverviewPages.routes + UserPages.routes
        + SignInSectionPages.routes
        + SubscriptionPages.routes + WebhookPages.routes + ZonePages.routes + AuditPages.routes
        + SchemaPages.routes + AssetPages.routes
        + FilePages.routes
        + RecordsPages.routes + RequestPages.routes + RejectedModel.routes + ChartPages.routes
        + BackupPages.routes

    /// The route of a request, exact words before parameters.
    static func find(_ method: HTTPRequest.Method, _ path: [String]) -> (Route, [String: String])? {
        var found: (Route, [String: String])?
        for route in all where route.method == method {
            guard let parameters = route.parameters(of: path) else { continue }
            if let (_, others) = found, others.count <= parameters.count { continue }
            found = (route, parameters)
        }
        return found
    }
}
