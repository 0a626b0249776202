import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// To a provider and back, and what an account is connected with.
enum ProviderPages {
    /// The longest value that a provider sends back, in bytes.
    private static let longestValue = 8_192

    /// Sends a browser to the provider that somebody chose on the sign-in page.
    static func depart(_ context: SignInContext) async throws -> SiteAnswer {
        guard let provider = try await context.chosenProvider() else { return context.redirect() }
        do {
            return try await context.depart(to: provider, session: nil)
        } catch {
            let page = try await context.signInPage()
            return context.failure(error, at: provider) { page.saying($0) }
        }
    }

    /// Connects a provider with an account, or takes it away.
    static func change(_ step: String, _ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        guard let provider = try await context.chosenProvider() else {
            return context.redirect(to: "/account")
        }
        do {
            try await context.accounts.proveOwner(
                of: session, password: context.form.text("current") ?? "", client: context.client)
            if step == "connect" { return try await context.depart(to: provider, session: session.id) }
            try await context.accounts.disconnect(provider, from: session.account, at: context.place)
            return context.redirect(to: "/account")
        } catch DepartureRefusal.signInAgain {
            let page = try await context.accountPage(session)
            return context.page(page.saying(context.text(.signInAgain)), status: .forbidden)
        } catch {
            let page = try await context.accountPage(session)
            return context.failure(error, at: provider) { page.saying($0) }
        }
    }

    /// Takes a browser in that a provider sent back.
    static func comeBack(
        from name: String, _ method: HTTPRequest.Method, _ site: UserSignInSite, _ request: SiteRequest,
        _ tenant: Tenant
    ) async throws -> SiteAnswer {
        guard method != .post else { return try await repeatAsAddress(name, site.accounts, request, tenant) }
        let query = try FormValues(request.query.utf8)
        let baseURL = request.baseURL
        let cookie = Cookies.value(SignInCookies.visit(baseURL), in: request.request)
        let arrival = site.accounts.arrival(
            query["state"] ?? "", cookie: cookie ?? "", from: name, in: tenant,
            redirect: baseURL + SignInProviders.redirectPath(of: name, in: tenant), carriedName: query["name"]
        )
        let context = try await SignInContext(site, request, tenant, carried: arrival?.query ?? "")
        var answer = try await answer(arrival, query, name, context)
        // The way back is good once.
        answer.response.headers.append(
            SignInCookies.visitField("", seconds: 0, in: tenant, at: baseURL))
        return answer
    }

    /// A form that another site sends brings no cookies along, the address that it is answered with does.
    private static func repeatAsAddress(
        _ name: String, _ accounts: Accounts, _ request: SiteRequest, _ tenant: Tenant
    ) async throws -> SiteAnswer {
        var body = try await request.body(upTo: Limits.signInFormBytes).split(separator: UInt8(ascii: "&"))
        // Read by itself, since a name that is not UTF-8 keeps nobody out.
        let place = body.firstIndex { $0.starts(with: "user=".utf8) }
        // What cannot be read is no name.
        let user = place.flatMap { try? FormValues(body.remove(at: $0))["user"] }
        let form = try FormValues(body.joined(separator: [UInt8(ascii: "&")]).map(\.self))
        var items = ["code", "state", "iss", "error"].compactMap { name in
            form[name].map { (name: name, value: String($0.prefix(longestValue))) }
        }
        if let user, let carried = accounts.carriedName(ofUser: user, besides: form["state"] ?? "") {
            items.append((name: "name", value: carried))
        }
        let path = SignInProviders.redirectPath(of: name, in: tenant)
        return SiteAnswer(
            Response(
                status: .seeOther,
                headers: [
                    .location: FormValues.encodedPath(path) + "?" + FormValues(items: items).query(),
                    .cacheControl: "no-store", .referrerPolicy: "no-referrer",
                ]))
    }

    private static func answer(
        _ arrival: Accounts.Return?, _ query: FormValues, _ name: String, _ context: SignInContext
    ) async throws -> SiteAnswer {
        let provider = try await context.accounts.providers(of: context.tenant).first { $0.name == name }
        guard let arrival, let provider, query["iss"] == nil || query["iss"] == provider.issuer else {
            return context.page(
                try await context.signInPage().saying(context.text(.startAgain)), status: .forbidden)
        }
        guard let session = arrival.session else {
            return try await signIn(provider, query["code"], arrival, context)
        }
        // Another account may have signed in to the browser meanwhile.
        guard let present = context.session, present.id == session else { return context.redirect() }
        do {
            guard let code = query["code"] else { throw declined }
            try await context.accounts.connect(
                provider, code: code, after: arrival, to: present.account, at: context.place)
            return context.page(
                try await context.accountPage(
                    present, notice: context.text(.connected, ["provider": provider.title])))
        } catch {
            let page = try await context.accountPage(present)
            return context.failure(error, at: provider) { page.saying($0) }
        }
    }

    private static func signIn(
        _ provider: SignInProviderRow, _ code: String?, _ arrival: Accounts.Return, _ context: SignInContext
    ) async throws -> SiteAnswer {
        do {
            guard let code else { throw declined }
            let (account, user) = try await context.accounts.signIn(
                with: provider, code: code, after: arrival)
            var context = context
            if arrival.keeps { context.form = FormValues(items: [("keep", "1")]) }
            return try await context.goOn(account, user)
        } catch {
            let page = try await context.signInPage()
            return context.failure(error, at: provider) { page.saying($0) }
        }
    }

    private static let declined = ServiceError(
        .authenticationFailed, "The provider sent no code: nobody signed in there.")
}

extension SignInContext {
    fileprivate func chosenProvider() async throws -> SignInProviderRow? {
        let name = form["provider"]
        return try await accounts.providers(of: tenant).first { $0.name == name }
    }

    /// A page that leads to a provider: browsers do not let the answer of a form lead to another site.
    fileprivate func depart(to provider: SignInProviderRow, session: String?) async throws -> SiteAnswer {
        let departure = try await accounts.depart(
            to: provider,
            redirect: request.baseURL + SignInProviders.redirectPath(of: provider.name, in: tenant),
            query: carriedQuery, keeps: form["keep"] != nil, session: session)
        var page = UserPage(title: text(.signIn))
        page.lead = text(.goingTo, ["provider": provider.title])
        page.onward = departure.address
        page.links = [
            .init(href: departure.address, text: text(.continueWith, ["provider": provider.title]))
        ]
        var answer = self.page(page)
        answer.response.headers.append(
            SignInCookies.visitField(
                departure.cookie, seconds: Accounts.visitSeconds, in: tenant, at: request.baseURL))
        return answer
    }

    /// A page that says why a provider did not lead into an account.
    fileprivate func failure(
        _ error: any Error, at provider: SignInProviderRow, _ page: (String) -> UserPage
    ) -> SiteAnswer {
        let values = ["provider": provider.title]
        if let refusal = error as? ProviderRefusal {
            let sentence =
                switch refusal {
                case .addressTaken: text(.addressTaken, values)
                case .connectedElsewhere: text(.connectedElsewhere, values)
                case .lastWay: text(.lastWay, values)
                }
            return self.page(page(sentence), status: .conflict)
        }
        if let known = error as? ServiceError,
            known.code != .authenticationFailed || form.text("current") != nil
        {
            return failure(error, wrong: .wrongPassword) { sentence, _ in page(sentence) }
        }
        var answer = self.page(page(text(.providerFailed, values)), status: .badGateway)
        answer.trace.code = .authenticationFailed
        answer.trace.error = error
        return answer
    }
}
