/// The requests that the server remembers.
struct RequestsPage: TemplatePage {
    static let template = Template("requests", PackageResources.requests_mustache)

    /// A value that a filter can have.
    struct Choice: TemplateModel {
        let value: String
        let text: String
        let isChosen: Bool
    }

    // The form.
    let codes: [Choice]
    let routes: [Choice]
    let statuses: [Choice]
    let environments: [Choice]
    let plans: [Choice]
    let idValue: String
    let userValue: String
    let containerValue: String
    let slowValue: String
    let failedOnly: Bool
    let isFiltered: Bool
    let hasMore: Bool
    let tenant: String?
    let everywhere: String
    let problem: String?

    // The list.
    var rows: [RequestRow] = []
    var isEmpty = true
    var isNewest = false
    var live = ""
    var newest = ""
    var newer: String?
    var older: String?
    var oldest: TimeModel?
    var kept = 0
    var slowFrom = 0
    var rejected: RejectedModel?
}

/// A request as a row of the list.
struct RequestRow: TemplatePage {
    static let template = Template("request-row", PackageResources.request_row_mustache)

    let id: String
    let short: String
    let at: TimeModel
    let status: Int
    let isBad: Bool
    let isRefused: Bool
    /// Whether the request went well and some of its items did not.
    let isPartial: Bool
    let failedItems: Int
    let route: String
    let path: String?
    let code: String?
    let `where`: String
    let user: String?
    let userShort: String?
    let duration: String
    let isSlow: Bool
    let isScan: Bool
}

/// Everything about one request.
struct RequestPage: TemplatePage {
    static let template = Template("request", PackageResources.request_mustache)

    struct User: TemplateModel {
        let href: String
        let name: String
    }

    /// An item of the request that failed.
    struct Failure: TemplateModel {
        let name: String
        let code: String
        let reason: String
        let remedy: String?
    }

    let row: RequestRow
    let method: String
    let items: Int
    let plan: String?
    /// The address of the pages of the request's container.
    let containerHref: String?
    let container: String?
    let environment: String?
    let scope: String?
    let bytesIn: String
    let bytesOut: String
    let userAgent: String?
    let recordType: String?
    let records: String?
    let byUser: String
    let byCode: String
    let byRoute: String
    let hasItems: Bool
    let hasError: Bool
    let planWords: String?
    let reason: String?
    let errorRemedy: String?
    let cause: String?
    let failures: [Failure]
    let hasFailures: Bool
    let more: Int
    let hasMoreFailures: Bool
    let userLink: User?
}

/// A request that the server does not remember.
struct RequestMissingPage: TemplatePage {
    static let template = Template("request-missing", PackageResources.request_missing_mustache)

    let id: String
    let isID: Bool
    let good: Int
    let oldest: TimeModel?
}
