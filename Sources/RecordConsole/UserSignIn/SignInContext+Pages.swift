import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// What the pages say.
extension SignInContext {
    private func addressField(_ label: SignInText = .address, isWrong: Bool, autofocus: Bool = true)
        -> UserPage.Field
    {
        .init(
            "address", label: text(label), type: "email", autocomplete: "username",
            value: form["address"] ?? "", isWrong: isWrong, autofocus: autofocus)
    }

    private func newPasswordField(isWrong: Bool = false, autofocus: Bool = false) -> UserPage.Field {
        .init(
            "password", label: text(.newPassword), type: "password", autocomplete: "new-password",
            hint: text(.passwordHint, ["count": "\(PasswordRules.fewestCharacters)"]), isWrong: isWrong,
            autofocus: autofocus)
    }

    private func currentPasswordField(_ id: String) -> UserPage.Field {
        .init(
            "current", id: id, label: text(.currentPassword), type: "password",
            autocomplete: "current-password")
    }

    func signInPage() async throws -> UserPage {
        var page = UserPage(title: text(.signIn))
        page.problem = hasUnknownApp ? text(.unknownApp) : nil
        page.lead = programLead
        page.forms = [
            .init(
                action: path(), csrf: csrf,
                fields: [
                    addressField(isWrong: false),
                    .init(
                        "password", label: text(.password), type: "password",
                        autocomplete: "current-password"),
                ], keep: text(.keep), button: text(.signIn))
        ]
        let providers = try await accounts.providers(of: tenant)
        if !providers.isEmpty {
            page.forms.append(
                .init(
                    action: path("/with"), csrf: csrf, keep: text(.keep),
                    choices: providers.map {
                        .init(value: $0.name, text: text(.continueWith, ["provider": $0.title]))
                    }))
        }
        page.links = [.init(href: path("/forgotten"), text: text(.forgotten))]
        if policy.admission != .operators {
            page.links.append(.init(href: path("/sign-up"), text: text(.makeAccount)))
        } else {
            page.lead = page.lead ?? text(.invitationOnly)
        }
        return page
    }

    /// What is to be said where a program of the person's machine led here.
    private var programLead: String? { program == nil ? nil : text(.programAsk) }

    func signUpPage(problem: String? = nil, isWrong: Bool = false) -> UserPage {
        var page = UserPage(title: text(.makeAccount))
        page.problem = problem
        page.links = [.init(href: path(), text: text(.signInPage))]
        guard policy.admission != .operators else {
            page.lead = text(.invitationOnly)
            return page
        }
        page.lead = text(.signUpLead) + mailNote
        page.forms = [
            .init(
                action: path("/sign-up"), csrf: csrf, fields: [addressField(isWrong: isWrong)],
                button: text(.sendLink))
        ]
        return page
    }

    func forgottenPage(problem: String? = nil, isWrong: Bool = false) -> UserPage {
        var page = UserPage(title: text(.forgotten))
        page.problem = problem
        page.lead = text(.forgottenLead) + mailNote
        page.forms = [
            .init(
                action: path("/forgotten"), csrf: csrf, fields: [addressField(isWrong: isWrong)],
                button: text(.sendLink))
        ]
        page.links = [.init(href: path(), text: text(.signInPage))]
        return page
    }

    /// What is to be said where links do not reach people by themselves.
    private var mailNote: String {
        accounts.post.reachesPeople ? "" : (language == .ja ? "" : " ") + text(.noMail)
    }

    func sentPage(_ address: String) -> UserPage {
        var page = UserPage(title: accounts.post.reachesPeople ? text(.sentTitle) : text(.signIn))
        page.lead =
            accounts.post.reachesPeople ? text(.sentLead, ["address": address]) : text(.noMail)
        page.links = [.init(href: path(), text: text(.signInPage))]
        return page
    }

    func linkOverPage() -> UserPage {
        var page = UserPage(title: text(.signIn))
        page.problem = text(.linkOver)
        page.links = [.init(href: path(), text: text(.signInPage))]
        return page
    }

    /// A page with a button: mail programs that look at links do not use them up.
    func linkPage(
        _ link: AccountLinkRow, _ code: String, problem: String? = nil, isWrong: Bool = false
    ) -> UserPage {
        guard link.purpose != .address else {
            var page = UserPage(title: text(.changeAddress))
            page.lead = text(.confirmAddress, ["address": link.address])
            page.forms = [
                .init(
                    action: path("/link/\(code)"), csrf: csrf, button: text(.confirm), autofocus: true)
            ]
            return page
        }
        var page = UserPage(title: text(.choosePassword))
        page.problem = problem
        page.lead = text(.chooseLead, ["address": link.address])
        page.forms = [
            .init(
                action: path("/link/\(code)"), csrf: csrf,
                // For the browser's list of passwords, which keeps a name with each.
                hidden: [.init(name: "username", value: link.address)],
                fields: [newPasswordField(isWrong: isWrong, autofocus: true)], keep: text(.keep),
                button: text(.savePassword))
        ]
        return page
    }

    /// What the pages call an account: its address, or a part of its id where there is none.
    func name(of account: AccountRow) -> String {
        MailAddress(account.address)?.isReachable == false
            ? "…" + account.address.prefix(6) : account.address
    }

    func continuePage(_ account: AccountRow) -> UserPage {
        var page = UserPage(title: text(.signInTo))
        page.problem = hasUnknownApp ? text(.unknownApp) : nil
        page.lead = programLead
        page.forms =
            (hasUnknownApp
                ? []
                : [
                    .init(
                        action: path("/continue"), csrf: csrf,
                        button: text(.continueAs, ["address": name(of: account)]), autofocus: true)
                ])
            + [
                .init(action: path("/other"), csrf: csrf, button: text(.otherAccount), isPrimary: false)
            ]
        page.links = [.init(href: path("/account"), text: text(.account))]
        return page
    }

    func accountPage(_ session: Accounts.PageSession, notice: String? = nil) async throws -> UserPage {
        var page = UserPage(title: text(.account))
        page.notice = notice
        page.lead = text(.signedInAs, ["address": name(of: session.account)])
        page.csrf = csrf
        page.sessionsHeading = text(.sessions)
        page.sessionsAction = path("/account/end")
        page.endText = text(.end)
        page.thisText = text(.thisBrowser)
        page.sessions = try await accounts.sessions(of: session.account, in: tenant).map { row in
            let date = Date(timeIntervalSince1970: Double(row.createdAt) / 1_000)
            return UserPage.Session(
                label: row.label,
                since: text(.since, ["date": date.formatted(.iso8601.year().month().day())]),
                isThis: row.id == session.id, id: row.id)
        }
        if page.sessions.count > 1 { page.endOthers = text(.endOthers) }
        page.forms = try await accountForms(session.account)
        page.forms.insert(discoveryForm(session.user.discovery), at: 1)
        let ways = try await accounts.ways(into: session.account)
        if ways.hasPassword, page.endOthers != nil {
            page.endField = currentPasswordField("current-for-sessions")
        }
        if !ways.hasPassword, MailAddress(session.account.address)?.isReachable == true {
            page.links = [.init(href: path("/forgotten"), text: text(.choosePassword))]
        }
        page.links.append(.init(href: path("/account/data"), text: text(.dataOrDelete)))
        return page
    }

    private func discoveryForm(_ discovery: UserDiscovery) -> UserPage.Form {
        func field(_ name: String, _ label: SignInText, _ autocomplete: String, _ value: String)
            -> UserPage.Field
        {
            var field = UserPage.Field(
                name, label: text(label), type: "text", autocomplete: autocomplete, value: value)
            field.isOptional = true
            field.capitals = "words"
            return field
        }
        return UserPage.Form(
            heading: text(.discovery), notes: [.init(text: text(.discoveryNote))],
            action: path("/account/discovery"), csrf: csrf,
            fields: [
                field("given", .givenName, "given-name", discovery.givenName),
                field("family", .familyName, "family-name", discovery.familyName),
            ], keep: text(.discoveryAllow), keepIsOn: discovery.isAllowed == true, button: text(.save),
            isPrimary: false)
    }

    private func accountForms(_ account: AccountRow) async throws -> [UserPage.Form] {
        let ways = try await accounts.ways(into: account)
        var forms: [UserPage.Form] = [
            .init(action: path("/sign-out"), csrf: csrf, button: text(.signOut), isPrimary: false)
        ]
        if ways.hasPassword {
            forms += [
                .init(
                    heading: text(.changePassword), action: path("/account/password"), csrf: csrf,
                    fields: [currentPasswordField("current"), newPasswordField()],
                    button: text(.changePassword), isPrimary: false),
                .init(
                    heading: text(.changeAddress), action: path("/account/address"), csrf: csrf,
                    fields: [
                        addressField(.newAddress, isWrong: false, autofocus: false),
                        currentPasswordField("current-for-address"),
                    ], button: text(.sendLink), isPrimary: false),
                secondStepForm(try await accounts.secondStep(of: account)),
            ]
        }
        for provider in try await accounts.providers(of: tenant) {
            let isConnected = ways.issuers.contains(provider.issuer)
            let name = text(isConnected ? .disconnect : .connect, ["provider": provider.title])
            forms.append(
                .init(
                    heading: name, action: path(isConnected ? "/account/disconnect" : "/account/connect"),
                    csrf: csrf, hidden: [.init(name: "provider", value: provider.name)],
                    fields: ways.hasPassword ? [currentPasswordField("current-for-\(provider.name)")] : [],
                    button: name, isPrimary: false))
        }
        return forms
    }
}
