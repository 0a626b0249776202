import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordTransfer

/// One's own data: taking it along, and deleting the account.
enum DataPages {
    static func show(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        return context.page(try await context.dataPage(session))
    }

    static func download(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session, let archives = context.site.archives else {
            return context.redirect()
        }
        let archive: AccountArchive
        do {
            try await context.accounts.proveOwner(
                of: session, password: context.form.text("current") ?? "", client: context.client)
        } catch {
            return try await failure(error, session, context)
        }
        do throws(ServiceError) {
            archive = try archives.archive(of: session.account)
        } catch {
            let page = try await context.dataPage(session).saying(context.text(.archiveBusy))
            var answer = context.page(page, status: .tooManyRequests)
            answer.response.headers[.retryAfter] = "\(error.retryAfterSeconds ?? 30)"
            return answer
        }
        try await context.accounts.noteArchive(of: session.account, at: context.place)
        var headers = context.headers
        headers[.contentType] = "application/zip"
        headers[.contentDisposition] = "attachment; filename=\"\(context.tenant.container).zip\""
        return SiteAnswer(
            Response(
                status: .ok, headers: headers,
                body: ResponseBody { writer in
                    try await archive.write { try await writer.write($0) }
                    try await writer.finish(nil)
                }))
    }

    static func delete(_ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirect() }
        do {
            try await context.accounts.delete(
                session, password: context.form.text("current") ?? "", code: context.form["code"] ?? "",
                at: context.place, client: context.client)
        } catch {
            return try await failure(error, session, context)
        }
        var page = UserPage(title: context.text(.deletedTitle))
        page.lead = context.text(.deletedLead)
        page.links = [.init(href: context.path(), text: context.text(.signInPage))]
        var answer = context.page(page)
        answer.response.headers.append(
            SignInCookies.sessionField("", seconds: 0, in: context.tenant, at: context.request.baseURL))
        return answer
    }

    private static func failure(
        _ error: any Error, _ session: Accounts.PageSession, _ context: SignInContext
    ) async throws -> SiteAnswer {
        let page = try await context.dataPage(session)
        switch error as? DepartureRefusal {
        case .signInAgain:
            return context.page(page.saying(context.text(.signInAgain)), status: .forbidden)
        case .wrongCode: return context.page(page.saying(context.text(.wrongCode)), status: .unauthorized)
        case nil: return context.failure(error, wrong: .wrongPassword) { text, _ in page.saying(text) }
        }
    }
}

extension SignInContext {
    /// What one may take along, and what goes with the account.
    func dataPage(_ session: Accounts.PageSession) async throws -> UserPage {
        let account = session.account
        let hasPassword = try await accounts.ways(into: account).hasPassword
        let hasSecondStep = try await accounts.secondStep(of: account).isOn
        func password(_ id: String) -> [UserPage.Field] {
            guard hasPassword else { return [] }
            return [
                .init(
                    "current", id: id, label: text(.currentPassword), type: "password",
                    autocomplete: "current-password")
            ]
        }
        let code = UserPage.Field(
            "code", label: text(.code), type: "text", autocomplete: "one-time-code")
        let fates = try await accounts.holdings(of: account).map { holding in
            let isSmall = holding.tenant.environment == .production
            let name = holding.title + (isSmall ? "" : " (\(holding.tenant.environment.rawValue))")
            return UserPage.Note(
                text: text(
                    holding.publicRecords == .keep ? .deleteKeeps : .deleteRemoves, ["name": name]))
        }
        var page = UserPage(title: text(.yourData))
        page.forms = [
            .init(
                heading: text(.deleteAccount), notes: [.init(text: text(.deleteNote))] + fates,
                action: path("/account/data/delete"), csrf: csrf,
                fields: password("current-for-deletion") + (hasSecondStep ? [code] : []),
                button: text(.deleteAccount), isPrimary: false)
        ]
        if site.archives != nil {
            page.forms.insert(
                .init(
                    heading: text(.download), notes: [.init(text: text(.downloadNote))],
                    action: path("/account/data/download"), csrf: csrf,
                    fields: password("current-for-download"), button: text(.download)), at: 0)
        }
        page.links = [.init(href: path("/account"), text: text(.account))]
        return page
    }
}
