import RecordEngine
import RecordServer
import RecordStorage

/// Whether an app may ask for people who agreed to be found.
extension UserPages {
    /// The switch of an API token; nil for other tokens.
    static func peopleSwitch(of token: IdentifiedToken) -> UsersPage.PeopleSwitch? {
        guard token.row.kind == .api else { return nil }
        return token.row.asksForPeople
            ? UsersPage.PeopleSwitch(wanted: "", words: "may ask", button: "Stop")
            : UsersPage.PeopleSwitch(wanted: "yes", words: "may not ask", button: "Allow")
    }

    @Sendable static func setPeople(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        let isAllowed = context.form["wanted"] == "yes"
        try await context.doing("token.people", "\(id) \(isAllowed ? "allowed" : "stopped")", tenant: tenant)
        {
            try await Tokens.setAsksForPeople(isAllowed, of: id, tenant: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying:
                "The app \(isAllowed ? "may" : "may not") ask for people."
        )
    }
}
