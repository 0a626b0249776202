import RecordEngine
import RecordServer
import RecordStorage

/// Shutting a user out, and letting it in again.
extension UserPages {
    /// The button of a user's row.
    static func disabling(_ user: UserRow) -> UsersPage.Disabling {
        user.isDisabled
            ? UsersPage.Disabling(wanted: "", button: "Enable", question: nil)
            : UsersPage.Disabling(
                wanted: "yes", button: "Disable",
                question:
                    "Disable \(user.label)? Tokens and keys of this user are refused until you enable it.")
    }

    @Sendable static func setDisabled(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = context.parameters["name"] ?? ""
        let isDisabled = context.form["wanted"] == "yes"
        let user = try await context.doing(isDisabled ? "user.disable" : "user.enable", name, tenant: tenant)
        {
            try await Users.setDisabled(isDisabled, name, of: tenant, store: context.store)
        }
        context.console.settings.accounts?.sessions.forget()
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying: "'\(user.label)' is \(isDisabled ? "disabled" : "enabled again").")
    }
}
