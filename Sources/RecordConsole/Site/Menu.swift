import RecordModel

/// The parts of the console that the menu leads to.
enum Section: String, CaseIterable, Sendable {
    case overview, records, schema, zones, shares, users, subscriptions, webhooks, assets
    case requests, charts, audit, backups

    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// Whether the part shows one container's data, or the whole service.
    var isOfTenant: Bool {
        switch self {
        case .overview, .records, .schema, .zones, .shares, .users, .subscriptions, .webhooks, .assets: true
        case .requests, .charts, .audit, .backups: false
        }
    }
}

/// The menu beside every page.
enum Menu {
    /// What a part of the whole service is asked for where a container is chosen: its own requests and charts.
    private static func query(_ section: Section, _ tenant: Tenant?) -> String {
        guard section == .requests || section == .charts, let tenant else { return "" }
        return "?container=\(FormValues.encoded(tenant.container.rawValue))"
            + "&environment=\(tenant.environment.rawValue)"
    }

    /// All parts; those of a container only where one is chosen.
    static func items(tenant: Tenant?, section: Section?) -> [LayoutPage.Item] {
        Section.allCases.compactMap { item in
            let path: String
            if item.isOfTenant {
                guard let tenant else { return nil }
                path = ConsoleContext.path(tenant, item == .overview ? "" : "/\(item.rawValue)")
            } else {
                path = "/\(item.rawValue)" + query(item, tenant)
            }
            return .init(title: item.title, href: "/console" + path, isCurrent: item == section)
        }
    }
}
