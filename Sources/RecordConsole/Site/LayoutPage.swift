import RecordModel

/// What stands around every page.
struct LayoutPage: TemplatePage {
    static let template = Template("layout", PackageResources.layout_mustache)

    /// One part of the menu.
    struct Item: TemplateModel {
        let title: String
        let href: String
        let isCurrent: Bool
    }

    /// The container and the environment that the page is about.
    struct Place: TemplateModel {
        let here: String
        let container: String
        let isProduction: Bool
        let otherBase: String

        init(_ tenant: Tenant) {
            let other: CloudEnvironment = tenant.environment == .development ? .production : .development
            here = "/console" + ConsoleContext.path(tenant, "")
            container = tenant.container.rawValue
            isProduction = tenant.environment == .production
            otherBase =
                "/console" + ConsoleContext.path(Tenant(container: tenant.container, environment: other), "")
        }
    }

    let title: String
    let csrf: String
    /// The page's own HTML.
    let content: String
    let `operator`: String?
    /// Whether the operator may look at everything and change nothing.
    let isReadOnly: Bool
    let version: String
    let requestID: String
    let flash: String?
    let menu: [Item]
    let tenant: Place?
}

/// What every page may name besides its own properties.
struct PageFrame: TemplateModel {
    /// The token of the session, for forms.
    let csrf: String
    /// The address of the tenant's pages; nil for pages of the whole service.
    let base: String?
}

/// What went wrong, and what to do about it.
struct ErrorPage: TemplatePage {
    static let template = Template("error", PackageResources.error_mustache)

    let code: String
    let reason: String
    let remedy: String?
}
