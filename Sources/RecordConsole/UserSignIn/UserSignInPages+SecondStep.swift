import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// The second step of signing in, and setting it up.
extension UserSignInPages {
    static func passSecondStep(_ context: SignInContext) async throws -> SiteAnswer {
        let ticket = context.form["ticket"] ?? ""
        do {
            guard
                let (account, user) = try await context.accounts.passSecondStep(
                    ticket, code: context.form["code"] ?? "", at: context.place, client: context.client)
            else {
                return context.page(
                    try await context.signInPage().saying(context.text(.badForm)), status: .forbidden)
            }
            return try await context.enter(account, user, keeps: context.form["keep"] != nil)
        } catch {
            return context.failure(error, wrong: .wrongCode) {
                context.secondStepPage(ticket, problem: $0, isWrong: $1)
            }
        }
    }

    static func changeSecondStep(_ step: String, _ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        let accounts = context.accounts
        do {
            switch step {
            case "second":
                let offer = try await accounts.offerSecondStep(
                    to: session.account, password: context.form.text("current") ?? "", title: context.title,
                    client: context.client)
                return context.page(context.offerPage(offer))
            case "second-on":
                let sealed = context.form["offer"] ?? ""
                guard
                    let codes = try await accounts.turnOnSecondStep(
                        of: session.account, sealed: sealed, code: context.form["code"] ?? "",
                        at: context.place)
                else {
                    guard
                        let offer = accounts.repeatedOffer(sealed, to: session.account, title: context.title)
                    else { return context.redirect(to: "/account") }
                    return context.page(
                        context.offerPage(offer, problem: context.text(.wrongCode)),
                        status: .unprocessableContent)
                }
                return context.page(context.recoveryPage(codes))
            default:
                try await accounts.turnOffSecondStep(
                    of: session.account, password: context.form.text("current") ?? "",
                    code: context.form["code"] ?? "", at: context.place, client: context.client)
                return context.redirect(to: "/account")
            }
        } catch DepartureRefusal.wrongCode {
            let page = try await context.accountPage(session)
            return context.page(page.saying(context.text(.wrongCode)), status: .unauthorized)
        } catch {
            let page = try await context.accountPage(session)
            return context.failure(error, wrong: .wrongPassword) { problem, _ in page.saying(problem) }
        }
    }
}

extension SignInContext {
    /// Asks for the second step where an account has one, else lets it in.
    func goOn(
        _ account: AccountRow, _ user: UserRow, from link: AccountLinkRow? = nil
    ) async throws -> SiteAnswer {
        let keeps = form["keep"] != nil
        guard try await accounts.secondStep(of: account).isOn else {
            return try await enter(account, user, keeps: keeps, from: link)
        }
        return page(secondStepPage(accounts.ticket(for: account, in: tenant)))
    }

    private func codeField(isWrong: Bool) -> UserPage.Field {
        .init(
            "code", label: text(.code), type: "text", autocomplete: "one-time-code", isWrong: isWrong,
            autofocus: true)
    }

    func secondStepPage(_ ticket: String, problem: String? = nil, isWrong: Bool = false) -> UserPage {
        var page = UserPage(title: text(.second))
        page.problem = problem
        page.lead = text(.secondLead)
        page.forms = [
            .init(
                action: path("/second"), csrf: csrf,
                hidden: [.init(name: "ticket", value: ticket)]
                    + (form["keep"] == nil ? [] : [.init(name: "keep", value: "1")]),
                fields: [codeField(isWrong: isWrong)], button: text(.signIn))
        ]
        page.links = [.init(href: path(), text: text(.signInPage))]
        return page
    }

    func offerPage(_ offer: Accounts.SecondStepOffer, problem: String? = nil) -> UserPage {
        var page = UserPage(title: text(.second))
        page.problem = problem
        page.lead = text(.secondOffer, ["key": Self.inFours(offer.key)])
        page.forms = [
            .init(
                action: path("/account/second-on"), csrf: csrf,
                hidden: [.init(name: "offer", value: offer.sealed)],
                fields: [codeField(isWrong: problem != nil)], button: text(.turnOn))
        ]
        page.links = [
            .init(href: offer.link, text: text(.openInApp)),
            .init(href: path("/account"), text: text(.account)),
        ]
        return page
    }

    /// A key as people copy it by hand; apps take it with blanks.
    private static func inFours(_ key: String) -> String {
        stride(from: 0, to: key.count, by: 4).map { String(key.dropFirst($0).prefix(4)) }.joined(
            separator: " ")
    }

    func recoveryPage(_ codes: [String]) -> UserPage {
        var page = UserPage(title: text(.recoveryCodes))
        page.lead = text(.recoveryLead)
        page.codes = codes.map { UserPage.Code(text: $0) }
        page.links = [.init(href: path("/account"), text: text(.done))]
        return page
    }

    /// The form of the account's page that turns the second step on or off.
    func secondStepForm(_ step: Accounts.SecondStep) -> UserPage.Form {
        let code = UserPage.Field(
            "code", id: "code-for-second", label: text(.code), type: "text", autocomplete: "one-time-code")
        return .init(
            heading: step.isOn
                ? text(.secondOn, ["count": "\(step.recoveryCodes)"]) : text(.secondOff),
            action: path(step.isOn ? "/account/second-off" : "/account/second"), csrf: csrf,
            fields: [
                .init(
                    "current", id: "current-for-second", label: text(.currentPassword), type: "password",
                    autocomplete: "current-password")
            ] + (step.isOn ? [code] : []), button: text(step.isOn ? .turnOff : .turnOn), isPrimary: false)
    }
}
