import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Entering and leaving.
enum SignInPages {
    static let routes: [Route] =
        [
            .get("/sign-in", access: .anyone, form),
            .post("/sign-in", access: .anyone, signIn),
            .get("/enter/:code", access: .anyone, link),
            .post("/enter/:code", access: .anyone, enter),
            .post("/sign-out", isForReaders: true, signOut),
            .get("/session", session),
        ] + SecondStepPages.routes

    /// Tells scripts whether there still is a session: others are led to the sign-in page, and from there to the
    /// first one.
    @Sendable private static func session(_ context: ConsoleContext) async throws -> SiteAnswer {
        if context.request.request.headers[.accept]?.contains("text/html") == true {
            return context.redirect(to: "/console/")
        }
        return SiteAnswer(Response(status: .noContent, headers: ConsoleContext.pageHeaders))
    }

    @Sendable private static func form(_ context: ConsoleContext) async throws -> SiteAnswer {
        if context.session != nil { return context.redirect(to: destination(context.query["to"])) }
        return page(context)
    }

    private static func page(_ context: ConsoleContext, problem: String? = nil) -> SiteAnswer {
        context.page(
            SignInPage(
                problem: problem, to: context.form["to"] ?? context.query["to"] ?? "",
                openOperator: context.console.settings.openOperator),
            title: "Sign in", status: problem == nil ? .ok : .unauthorized)
    }

    @Sendable private static func signIn(_ context: ConsoleContext) async throws -> SiteAnswer {
        let access = context.console.access
        if let name = context.console.settings.openOperator, context.form["open"] != nil {
            var answer = context.redirect(to: destination(context.form["to"]))
            let cookie = try await context.doing(
                "session.open", tenant: nil, by: { _ in name }, subject: { _ in "" }
            ) {
                try await access.enter(as: name, at: context.request.baseURL)
            }
            answer.response.headers.append(cookie)
            return answer
        }
        let secret = (context.form["secret"] ?? "").filter { !$0.isWhitespace }
        guard
            let (entrance, name) = try await take(secret, .secret, as: "session.secret", context)
        else {
            try await noteRefusal("a wrong secret", context)
            return page(context, problem: "No operator has this secret.")
        }
        return try await go(entrance, name, to: destination(context.form["to"]), context)
    }

    /// Takes a secret or a link, with the row of the audit log in the same write; nil, and no row, where it is not good.
    private static func take(
        _ token: String, _ kind: OperatorTokenRow.Kind, as action: String, _ context: ConsoleContext
    ) async throws -> (entrance: OperatorAccess.Entrance, operatorName: String)? {
        try await context.doing(
            action, tenant: nil, by: { $0.given(OperatorAccess.Entry.self)?.operatorName },
            subject: { $0.given(OperatorAccess.Entry.self) == nil ? nil : "" }
        ) {
            try await context.console.access.enter(token, kind: kind, at: context.request.baseURL)
        }
    }

    /// Goes on after the first step.
    private static func go(
        _ entrance: OperatorAccess.Entrance, _ name: String, to: String, _ context: ConsoleContext
    ) async throws -> SiteAnswer {
        switch entrance {
        case .secondStep(let ticket): return try await SecondStepPages.page(ticket, to: to, context)
        case .session(let cookie):
            var answer = context.redirect(to: to, saying: "Welcome, \(name).")
            answer.response.headers.append(cookie)
            return answer
        }
    }

    /// A page with a button: mail programs and chats that look at links do not use them up.
    @Sendable private static func link(_ context: ConsoleContext) async throws -> SiteAnswer {
        context.page(
            EnterPage(encoded: FormValues.encoded(context.parameters["code"] ?? "")), title: "Sign in")
    }

    @Sendable private static func enter(_ context: ConsoleContext) async throws -> SiteAnswer {
        let code = context.parameters["code"] ?? ""
        guard
            let (entrance, name) = try await take(code, .link, as: "session.link", context)
        else {
            try await noteRefusal("a wrong or old link", context)
            throw ServiceError(
                .authenticationFailed, "This link was used before, or is too old.",
                remedy: "Make a new one with 'stratus operator link NAME'.")
        }
        return try await go(entrance, name, to: "/", context)
    }

    @Sendable private static func signOut(_ context: ConsoleContext) async throws -> SiteAnswer {
        var answer = context.redirect(to: "/sign-in", saying: "You are signed out.")
        if let session = context.session {
            let cookie = try await context.doing("session.end", "", tenant: nil) {
                try await context.console.access.leave(session, at: context.request.baseURL)
            }
            answer.response.headers.append(cookie)
        }
        return answer
    }

    /// Tells the audit log of those who are not let in, as seldom as ``RefusedEntries`` says.
    static func noteRefusal(_ what: String, _ context: ConsoleContext) async throws {
        guard let count = context.console.refused.count(at: context.now) else { return }
        try await context.audit(
            "session.refused", count == 1 ? what : "\(what); \(count) refused in this hour")
    }

    /// Where a form leads afterwards: a path below the console's prefix, never another site.
    static func destination(_ text: String?) -> String {
        guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "/" }
        return text
    }
}
