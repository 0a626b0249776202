/// What operators did.
struct AuditPage: TemplatePage {
    static let template = Template("audit", PackageResources.audit_mustache)

    struct Row: TemplateModel {
        let at: TimeModel
        let `operator`: String
        let action: String
        let words: String
        let subject: String
        let tenant: String
        let request: String
        let requestHref: String
    }

    let rows: [Row]
    let isEmpty: Bool
    let isLater: Bool
    let older: Int64?
    let limit: String
}
