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
        try await enter(context, as: "session.second") { steps, ticket, code, to in
            guard let name = try await steps.pass(ticket, code: code, client: context.request.clientAddress)
            else { return nil }
            return (name, context.redirect(to: to, saying: "Welcome, \(name)."))
        }
    }

    private static func setUp(_ context: ConsoleContext) async throws -> SiteAnswer {
        try await enter(context, as: "operator.second.on") { steps, ticket, code, to in
            guard
                let (name, codes) = try await steps.setUp(
                    ticket, code: code, client: context.request.clientAddress)
            else { return nil }
            let page = OperatorCodesPage(codes: codes.map { .init(text: $0) }, href: "/console" + to)
            return (name, context.page(page, title: "Recovery codes"))
        }
    }

    /// Takes a code, and lets its operator in.
    ///
    /// - Parameters:
    ///   - action: what the audit log says, in the write that takes the code.
    ///   - step: takes the code of a ticket and gives the operator and the page to show, given where to go afterwards; nil where
    ///     the ticket is too old.
    private static func enter(
        _ context: ConsoleContext, as action: String,
        _ step: (OperatorSteps, _ ticket: String, _ code: String, _ to: String) async throws -> (
            name: String, answer: SiteAnswer
        )?
    ) async throws -> SiteAnswer {
        let ticket = context.form["ticket"] ?? ""
        let to = SignInPages.destination(context.form["to"])
        do {
            let entered = try await context.doing(
                action, tenant: nil, by: { $0.given(OperatorSteps.Attempt.self)?.operatorName },
                subject: { $0.given(OperatorSteps.Attempt.self)?.isRight == true ? "" : nil }
            ) {
                try await step(context.console.steps, ticket, context.form["code"] ?? "", to)
            }
            guard let entered else { return tooLate(context) }
            var answer = entered.answer
            answer.response.headers.append(
                try await context.console.access.admit(entered.name, at: context.request.baseURL))
            return answer
        } catch let error as ServiceError where error.code == .authenticationFailed {
            try await SignInPages.noteRefusal("a wrong code", context)
            return try await page(ticket, to: to, context, problem: error.reason)
        }
    }

    private static func tooLate(_ context: ConsoleContext) -> SiteAnswer {
        context.redirect(to: "/sign-in", saying: "That took too long. Sign in again.")
    }
}
