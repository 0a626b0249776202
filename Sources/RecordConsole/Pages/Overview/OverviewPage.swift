/// All containers.
struct ContainersPage: TemplatePage {
    static let template = Template("containers", PackageResources.containers_mustache)

    struct Container: TemplateModel {
        let container: String
        let environments: [Environment]
    }

    struct Environment: TemplateModel {
        let name: String
        let href: String
        let summary: String
    }

    let containers: [Container]
    let isEmpty: Bool
}

/// What is in one container.
struct OverviewPage: TemplatePage {
    static let template = Template("overview", PackageResources.overview_mustache)

    struct RecordType: TemplateModel {
        let name: String
        let fields: String
        let href: String
    }

    let waiting: Int
    let hasWaiting: Bool
    let isOneWaiting: Bool
    let rejected: RejectedModel?
    let types: [RecordType]
    let isEmpty: Bool
    let users: Int
    let tokens: Int
    let typeCount: Int
    /// The bytes of all records and files.
    let stored: String
    /// How many there may be; nil for any number.
    let quota: String?
    /// Whether what earlier versions stored is still being counted.
    let isCounting: Bool
    let isDevelopment: Bool
    let address: String
    let container: String
    let environment: String
}
