/// Who may do what: the grants of the public database, the roles, and where what is shared stands.
struct AccessPage: TemplatePage {
    static let template = Template("access", PackageResources.access_mustache)

    struct Grant: TemplateModel {
        let type: String
        let isFirst: Bool
        let role: String
        let reads: Bool
        let creates: Bool
        let writes: Bool
    }

    struct Role: TemplateModel {
        let name: String
        let users: String
        let hasUsers: Bool
    }

    let grants: [Grant]
    let isEmpty: Bool
    let roles: [Role]
    let hasRoles: Bool
    let why: AccessWhyModel
}

/// The question whether somebody may see a record, and its answer.
struct AccessWhyModel: TemplatePage {
    static let template = Template("access-why", PackageResources.access_why_mustache)

    struct User: TemplateModel {
        let recordName: String
        let name: String
        let isChosen: Bool
    }

    /// What goes with the form, as pages of records need it.
    struct Hidden: TemplateModel {
        let name: String
        let value: String
    }

    let action: String
    let users: [User]
    let hasUsers: Bool
    var hidden: [Hidden] = []
    /// Whether the form asks for the record, too.
    var asksForRecord = false
    var record = ""
    var zone = ""
    var owners: [User] = []
    var sentence: String?
    var mayRead = false
    var mayWrite = false
}
