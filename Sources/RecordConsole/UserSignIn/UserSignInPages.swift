import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// The pages by their addresses.
enum UserSignInPages {
    static func show(_ segments: [String], _ context: SignInContext) async throws -> SiteAnswer {
        switch segments {
        case []:
            if let session = context.session {
                if let link = context.shareLink { return context.redirect(to: "/share/\(link)") }
                if context.isForDevice { return context.redirect(to: "/device") }
                return context.app == nil && !context.hasUnknownApp
                    ? context.redirect(to: "/account")
                    : context.page(context.continuePage(session.account))
            }
            return context.page(try await context.signInPage())
        case ["device"]: return DevicePages.show(context)
        case ["sign-up"]: return context.page(context.signUpPage())
        case ["forgotten"]: return context.page(context.forgottenPage())
        case ["account"]:
            guard let session = context.session else { return context.redirect() }
            return context.page(try await context.accountPage(session))
        case ["account", "data"]: return try await DataPages.show(context)
        case _ where segments.first == "share": return try await LinkPages.show(segments, context)
        default:
            guard segments.count == 2, segments[0] == "link" else { throw missing }
            guard let link = try await context.accounts.link(segments[1]), link.tenant == context.tenant
            else {
                return context.page(context.linkOverPage(), status: .gone)
            }
            return context.page(context.linkPage(link, segments[1]))
        }
    }

    static func act(_ segments: [String], _ context: SignInContext) async throws -> SiteAnswer {
        switch segments {
        case []: return try await signIn(context)
        case ["sign-up"]: return requestLink(.signUp, context)
        case ["forgotten"]: return requestLink(.reset, context)
        case ["continue"]:
            guard let session = context.session else { return context.redirect() }
            return try await context.handOver(session.account, session.user, lasting: session.duration)
        case ["other"], ["sign-out"]: return try await signOut(context)
        case ["account", "end"]: return try await endSession(context)
        case ["second"]: return try await passSecondStep(context)
        case ["account", "second"], ["account", "second-on"], ["account", "second-off"]:
            return try await changeSecondStep(segments[1], context)
        case ["with"]: return try await ProviderPages.depart(context)
        case ["account", "connect"], ["account", "disconnect"]:
            return try await ProviderPages.change(segments[1], context)
        case ["device"], ["device", "allow"], ["device", "deny"]:
            return try await DevicePages.act(segments.count == 1 ? "" : segments[1], context)
        case _ where segments.first == "share": return try await LinkPages.act(segments, context)
        case ["account", "data", "download"]: return try await DataPages.download(context)
        case ["account", "data", "delete"]: return try await DataPages.delete(context)
        case ["account", "discovery"]: return try await changeDiscovery(context)
        case ["account", "password"]: return try await changePassword(context)
        case ["account", "address"]: return try await changeAddress(context)
        default:
            guard segments.count == 2, segments[0] == "link" else { throw missing }
            return try await useLink(segments[1], context)
        }
    }

    static let missing = ServiceError(.notFound, "There is no page at this address.")

    private static func signIn(_ context: SignInContext) async throws -> SiteAnswer {
        do {
            let (account, user) = try await context.accounts.signIn(
                address: context.form["address"] ?? "", password: context.form.text("password") ?? "",
                at: context.place, client: context.client)
            return try await context.goOn(account, user)
        } catch {
            let page = try await context.signInPage()
            return context.failure(error) { page.saying($0, isWrong: $1) }
        }
    }

    private static func requestLink(_ request: Accounts.LinkRequest, _ context: SignInContext) -> SiteAnswer {
        let address = context.form["address"] ?? ""
        do {
            try context.accounts.requestLink(request, to: address, at: context.place, client: context.client)
            return context.page(context.sentPage(address))
        } catch {
            return context.failure(error) { problem, isWrong in
                request == .signUp
                    ? context.signUpPage(problem: problem, isWrong: isWrong)
                    : context.forgottenPage(problem: problem, isWrong: isWrong)
            }
        }
    }

    private static func signOut(_ context: SignInContext) async throws -> SiteAnswer {
        if let session = context.session {
            try await context.accounts.endSession(session.id, of: session.account, in: context.tenant)
        }
        var answer = context.redirect()
        answer.response.headers.append(
            SignInCookies.sessionField("", seconds: 0, in: context.tenant, at: context.request.baseURL))
        return answer
    }

    private static func endSession(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        guard let chosen = context.form["session"] else { return context.redirect(to: "/account") }
        do {
            try await context.accounts.endOther(
                chosen == UserPage.allSessions ? nil : chosen, by: session,
                password: context.form.text("current") ?? "", in: context.tenant, client: context.client)
            return context.redirect(to: "/account")
        } catch DepartureRefusal.signInAgain {
            let page = try await context.accountPage(session)
            return context.page(page.saying(context.text(.signInAgain)), status: .forbidden)
        } catch {
            let page = try await context.accountPage(session)
            return context.failure(error, wrong: .wrongPassword) { problem, _ in page.saying(problem) }
        }
    }

    private static func changePassword(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        do {
            try await context.accounts.changePassword(
                of: session.account, from: context.form.text("current") ?? "",
                to: context.form.text("password") ?? "", keeping: session.id, at: context.place,
                client: context.client)
            return context.page(
                try await context.accountPage(session, notice: context.text(.passwordChanged)))
        } catch {
            let page = try await context.accountPage(session)
            return context.failure(error, wrong: .wrongPassword) { problem, _ in page.saying(problem) }
        }
    }

    private static func changeDiscovery(_ context: SignInContext) async throws -> SiteAnswer {
        guard var session = context.session else { return context.redirect() }
        session.user.discovery = UserDiscovery(
            isAllowed: context.form["keep"] != nil, givenName: context.form["given"] ?? "",
            familyName: context.form["family"] ?? "")
        do {
            session.user.discovery = try await context.accounts.setDiscovery(
                session.user.discovery, of: session, in: context.tenant)
        } catch let error as ServiceError where error.code == .badRequest {
            let page = try await context.accountPage(session).saying(context.text(.badName))
            return context.page(page, status: .badRequest)
        }
        return context.page(try await context.accountPage(session, notice: context.text(.saved)))
    }

    private static func changeAddress(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        let address = context.form["address"] ?? ""
        do {
            try await context.accounts.requestAddress(
                address, for: session.account, password: context.form.text("current") ?? "",
                at: context.place,
                client: context.client)
            return context.page(context.sentPage(address))
        } catch {
            let page = try await context.accountPage(session)
            return context.failure(error, wrong: .wrongPassword) { problem, _ in page.saying(problem) }
        }
    }

    private static func useLink(_ code: String, _ context: SignInContext) async throws -> SiteAnswer {
        guard let link = try await context.accounts.link(code), link.tenant == context.tenant else {
            return context.page(context.linkOverPage(), status: .gone)
        }
        guard link.purpose != .address else {
            guard try await context.accounts.confirmAddress(by: code, at: context.place) else {
                return context.page(context.linkOverPage(), status: .gone)
            }
            var page = UserPage(title: context.text(.account))
            page.notice = context.text(.addressConfirmed)
            page.links = [.init(href: context.path("/account"), text: context.text(.account))]
            return context.page(page)
        }
        do {
            guard
                let (account, user) = try await context.accounts.choosePassword(
                    context.form.text("password") ?? "", by: code, at: context.place)
            else { return context.page(context.linkOverPage(), status: .gone) }
            return try await context.goOn(account, user, from: link)
        } catch {
            return context.failure(error) { context.linkPage(link, code, problem: $0, isWrong: $1) }
        }
    }
}

extension SignInContext {
    /// Signs a browser in, and goes on to the app that it came from.
    func enter(
        _ account: AccountRow, _ user: UserRow, keeps: Bool, from link: AccountLinkRow? = nil
    ) async throws -> SiteAnswer {
        let duration = keeps ? Sessions.Duration.long : .short
        let token = try await accounts.sessions.begin(
            .page, for: account, as: user, lasting: duration, label: client.label)
        var answer: SiteAnswer
        var app = self.app
        if app == nil, let apiToken = link?.apiToken {
            app = try await accounts.app(of: apiToken, in: tenant)
        }
        if let app, link == nil || app.webCallback != nil {
            answer = try await handOver(
                account, user, lasting: duration, to: app, with: self.app == nil ? link?.apiToken : nil)
        } else if let share = shareLink {
            answer = redirect(to: "/share/\(share)")
        } else if link != nil {
            // The window of the app is this one, or another one: a script brings it to its end. Without scripts it is one
            // click from now on.
            var page = UserPage(title: text(.doneTitle))
            page.lead = text(.doneLead)
            page.links = [.init(href: path("/account"), text: text(.account))]
            page.arrival = UserPage.Arrival(site: sitePath, isDone: true, apiToken: link?.apiToken ?? "")
            answer = self.page(page)
        } else {
            answer = redirect(to: isForDevice ? "/device" : "/account")
        }
        answer.response.headers.append(
            SignInCookies.sessionField(
                token, seconds: keeps ? duration.wholeSeconds : nil, in: tenant, at: request.baseURL))
        answer.response.headers.append(
            SignInCookies.knownField(accounts.knownBrowser(of: account.address), at: request.baseURL))
        return answer
    }

    /// Gives an app a token of a user, in the way that the app's API token says.
    ///
    /// - Parameter apiToken: the app's; nil for the one in the page's address.
    func handOver(
        _ account: AccountRow, _ user: UserRow, lasting duration: Sessions.Duration, to app: TokenRow? = nil,
        with apiToken: String? = nil
    ) async throws -> SiteAnswer {
        guard let app = app ?? self.app else { return redirect() }
        if let program {
            let code = try await accounts.beginProgram(
                program, for: account, apiToken: query["ckAPIToken"] ?? "", in: tenant)
            var headers = headers
            headers[.location] = program.address(code: code)
            return SiteAnswer(Response(status: .seeOther, headers: headers))
        }
        let token = try await accounts.sessions.begin(
            .web, for: account, as: user, lasting: duration, label: client.label,
            apiToken: apiToken ?? query["ckAPIToken"])
        if let callback = app.webCallback {
            var headers = headers
            let mark = callback.contains("?") ? "&" : "?"
            headers[.location] = "\(callback)\(mark)ckWebAuthToken=\(token)&ckSession=\(token)"
            return SiteAnswer(Response(status: .seeOther, headers: headers))
        }
        var page = UserPage(title: text(.doneTitle))
        page.lead = text(.doneLead)
        page.links = [.init(href: path("/account"), text: text(.account))]
        let own = PublicPath.origin(of: request.baseURL)
        var origins = app.origins + [own]
        if let origin, Accounts.admits(origin, to: app, baseURL: own) { origins.append(origin) }
        page.handover = .init(token: token, origins: Set(origins).sorted().joined(separator: " "))
        return self.page(page)
    }

    /// A page that says why something did not work.
    ///
    /// - Parameter page: makes it of the sentence, and of whether what was typed is wrong.
    func failure(
        _ error: any Error, wrong: SignInText = .wrong, _ page: (String, Bool) -> UserPage
    ) -> SiteAnswer {
        if let refusal = error as? PasswordRules.Refusal {
            return self.page(page(sentence(for: refusal), true), status: .unprocessableContent)
        }
        let failure = ServiceError(describing: error)
        let status = HTTPResponse.Status(code: failure.httpStatus)
        var answer: SiteAnswer
        switch failure.code {
        case .authenticationFailed: answer = self.page(page(text(wrong), true), status: status)
        case .throttled:
            let seconds = "\(failure.retryAfterSeconds ?? 60)"
            answer = self.page(page(text(.wait, ["seconds": seconds]), false), status: status)
            answer.response.headers[.retryAfter] = seconds
        case .accessDenied: answer = self.page(page(text(.notAdmitted), false), status: status)
        case .badRequest: answer = self.page(page(text(.noAddress), true), status: .unprocessableContent)
        default: answer = self.page(page(text(.later), false), status: status)
        }
        answer.trace.code = failure.code
        answer.trace.error = error
        return answer
    }

    private func sentence(for refusal: PasswordRules.Refusal) -> String {
        switch refusal {
        case .tooShort: text(.tooShort, ["count": "\(PasswordRules.fewestCharacters)"])
        case .tooLong: text(.tooLong, ["count": "\(PasswordRules.mostCharacters)"])
        case .common: text(.common)
        }
    }
}
