/// Users and tokens.
struct UsersPage: TemplatePage {
    static let template = Template("users", PackageResources.users_mustache)

    struct User: TemplateModel {
        let name: String
        let recordName: String
        let made: TimeModel
        let tokens: Int
        let records: String
        let zones: String
    }

    struct Token: TemplateModel {
        let id: String
        let kind: String
        let user: String
        let label: String
        let made: TimeModel
        let expires: TimeModel?
        let isExpired: Bool
    }

    /// A user that a token can be made for.
    struct Choice: TemplateModel {
        let name: String
        let recordName: String
    }

    let users: [User]
    let hasUsers: Bool
    let tokens: [Token]
    let hasTokens: Bool
    /// How many are not shown; nil where all are.
    let moreUsers: String?
    let moreTokens: String?
    /// The text of the token that was made just now.
    let created: String?
    let createdKind: String?
    let choices: [Choice]
}
