/// The zones of a database.
struct ZonesPage: TemplatePage {
    static let template = Template("zones", PackageResources.zones_mustache)

    struct Zone: TemplateModel {
        let name: String
        let isCustom: Bool
        let sequence: Int64
        let href: String
        let records: String
        let deleteAction: String
    }

    struct User: TemplateModel {
        let recordName: String
        let name: String
        let isChosen: Bool
    }

    let zones: [Zone]
    let isEmpty: Bool
    let isPrivate: Bool
    let db: String
    let first: String?
    let next: String?
    let users: [User]
}

/// What happened in a zone lately.
struct ChangesPage: TemplatePage {
    static let template = Template("changes", PackageResources.changes_mustache)

    struct Change: TemplateModel {
        let name: String
        let type: String
        let sequence: Int64
        let isDeleted: Bool
        let href: String
    }

    let changes: [Change]
    let isEmpty: Bool
    let isTracked: Bool
    let isLater: Bool
    let newest: String
    let older: String?
    let sequence: Int64
    let list: String
}
