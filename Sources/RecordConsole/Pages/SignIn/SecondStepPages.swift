import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer

/// The form with the code, and with the key of an app where none is set up.
struct OperatorStepPage: TemplatePage {
    static let template = Template("operator-step", PackageResources.operator_step_mustache)

    /// What is added to an app.
    struct App: TemplateModel {
        let key: String
        let href: String
    }

    let action: String
    let problem: String?
    let ticket: String
    let to: String
    let app: App?
}

/// The recovery codes, once.
struct OperatorCodesPage: TemplatePage {
    static let template = Template("operator-codes", PackageResources.operator_codes_mustache)

    /// One of them.
    struct Code: TemplateModel {
        let text: String
    }

    let codes: [Code]
    let href: String
}

/// The second step of entering.
enum SecondStepPages {
    static let routes: [Route] = [
        .post("/sign-in/code", access: .anyone) { try await pass($0) },
        .post("/sign-in/set-up", access: .anyone) { try await setUp($0) },
    ]

    /// The form for a ticket.
    static func page(
        _ ticket: String, to: String, _ context: ConsoleContext, problem: String? = nil
    ) async throws -> SiteAnswer {
        let offer = try await context.console.steps.offer(ticket)
        return context.page(
            OperatorStepPage(
                action: "/console/sign-in/" + (offer == nil ? "code" : "set-up"), problem: problem,
                ticket: ticket, to: to,
                app: offer.map { .init(key: grouped($0.key), href: $0.link) }),
            title: "Second step", status: problem == nil ? .ok : .unauthorized)
    }

    private static func grouped(_ key: String) -> String {
        stride(from: 0, to: key.count, by: 4).map { String(key.dropFirst($0).prefix(4)) }
            .joined(separator: " ")
    }

    private static func pass(_ context: ConsoleContext) async throws -> SiteAnswer {
        let ticket = context.form["ticket"] ?? ""
        let to = SignInPages.destination(context.form["to"])
        do {
            guard
                let name = try await context.console.steps.pass(
                    ticket, code: context.form["code"] ?? "", client: context.request.clientAddress)
            else { return tooLate(context) }
            try await context.audit("session.second", "", by: name)
            var answer = context.redirect(to: to, saying: "Welcome, \(name).")
            answer.response.headers.append(try await cookie(name, context))
            return answer
        } catch let error as ServiceError where error.code == .authenticationFailed {
            return try await refuse(error, ticket, to, context)
        }
    }

    private static func setUp(_ context: ConsoleContext) async throws -> SiteAnswer {
        let ticket = context.form["ticket"] ?? ""
        let to = SignInPages.destination(context.form["to"])
        do {
            guard
                let (name, codes) = try await context.console.steps.setUp(
                    ticket, code: context.form["code"] ?? "", client: context.request.clientAddress)
            else { return tooLate(context) }
            try await context.audit("operator.second.on", name, by: name)
            var answer = context.page(
                OperatorCodesPage(codes: codes.map { .init(text: $0) }, href: "/console" + to),
                title: "Recovery codes")
            answer.response.headers.append(try await cookie(name, context))
            return answer
        } catch let error as ServiceError where error.code == .authenticationFailed {
            return try await refuse(error, ticket, to, context)
        }
    }

    private static func cookie(_ name: String, _ context: ConsoleContext) async throws -> HTTPField {
        try await context.console.access.admit(name, at: context.request.baseURL)
    }

    private static func tooLate(_ context: ConsoleContext) -> SiteAnswer {
        context.redirect(to: "/sign-in", saying: "That took too long. Sign in again.")
    }

    private static func refuse(
        _ error: ServiceError, _ ticket: String, _ to: String, _ context: ConsoleContext
    ) async throws -> SiteAnswer {
        try await SignInPages.noteRefusal("a wrong code", context)
        return try await page(ticket, to: to, context, problem: error.reason)
    }
}
