/// Users and tokens.
struct UsersPage: TemplatePage {
    static let template = Template("users", PackageResources.users_mustache)

    struct User: TemplateModel {
        let name: String
        let recordName: String
        let made: TimeModel
        let tokens: Int
        let roles: [Role]
        let records: String
        let zones: String
        /// What the private database holds; nil for nothing.
        let stored: String?
        /// Where a form signs the user out; nil for one without an account.
        let endAction: String?
        /// Where a form shuts the user out, or lets it in again.
        let disableAction: String
        let isDisabled: Bool
        let disabling: Disabling
        /// Where a form removes the user.
        let removeAction: String
        /// What goes with the user, as the question before it says.
        let removeText: String
    }

    /// The button that shuts a user out, or lets it in again.
    struct Disabling: TemplateModel {
        /// What the button sends: `yes` to shut the user out, nothing to let it in.
        let wanted: String
        let button: String
        /// What is asked before; nil for nothing.
        let question: String?
    }

    /// A security role that a user has.
    struct Role: TemplateModel {
        let role: String
        let holder: String
        let holderName: String
    }

    struct Token: TemplateModel {
        let id: String
        let kind: String
        let user: String
        let label: String
        let made: TimeModel
        let expires: TimeModel?
        let isExpired: Bool
        let people: PeopleSwitch?
    }

    /// Whether an app may ask for people, and the button that changes it.
    struct PeopleSwitch: TemplateModel {
        /// What the button sends: `yes` to allow it, nothing to stop it.
        let wanted: String
        let words: String
        let button: String
    }

    /// A server-to-server key.
    struct Key: TemplateModel {
        let id: String
        let name: String
        let user: String
        let made: TimeModel
        let used: TimeModel?
    }

    /// A user that a token can be made for.
    struct Choice: TemplateModel {
        let name: String
        let recordName: String
    }

    /// The container's sign-in page; nil where there is none.
    let signIn: SignInSection?
    let users: [User]
    let hasUsers: Bool
    let tokens: [Token]
    let hasTokens: Bool
    let keys: [Key]
    let hasKeys: Bool
    /// How many are not shown; nil where all are.
    let moreUsers: String?
    let moreTokens: String?
    /// The text of the token that was made just now.
    let created: String?
    let createdKind: String?
    let choices: [Choice]
    /// The security roles that the schema declares.
    let declaredRoles: [String]
    let hasRoles: Bool
}
