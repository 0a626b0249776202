import RecordEngine
import RecordModel
import RecordStorage

/// The shares of a container.
struct SharesPage: TemplatePage {
    static let template = Template("shares", PackageResources.shares_mustache)

    let shares: [ShareModel]
    let isEmpty: Bool
    let first: String?
    let next: String?
}

/// One share with everybody who has a part in it.
struct SharePage: TemplatePage {
    static let template = Template("share", PackageResources.share_mustache)

    let share: ShareModel
    let people: [SharePersonModel]
    let isAlone: Bool
}

/// What pages show of a share.
struct ShareModel: TemplateModel {
    let title: String
    let subject: String
    let owner: String
    /// What is shared, in the owner's private database.
    let recordHref: String
    let href: String
    let link: String
    let isOpen: Bool
    let hasEnded: Bool
    let ends: TimeModel?
    let made: TimeModel
    let people: [SharePersonModel]
    let isAlone: Bool
    let hasMore: Bool
}

/// Somebody who has a part in a share.
struct SharePersonModel: TemplateModel {
    let name: String
    let role: String
    let permission: String
    let status: String
    let isIn: Bool
    let isOut: Bool
    let since: TimeModel
    /// The records as this person sees them; nil for who is not let in.
    let lookHref: String?
}

extension ShareModel {
    init(_ share: ShareOverview, _ context: ConsoleContext, _ tenant: Tenant) {
        func href(_ rest: String) -> String { "/console" + ConsoleContext.path(tenant, rest) }
        var place = RecordsAddress()
        place.owner = share.owner
        place.zone = share.zone
        let row = share.row
        self.init(
            title: share.title ?? "Untitled", subject: share.subject, owner: share.ownerName,
            recordHref: href(row.root.map { place.recordPath($0) } ?? "/records" + place.query),
            href: href("/shares/\(row.zone)" + RecordsAddress.query([("name", row.name)])),
            link: share.linkWords(at: context.now), isOpen: row.publicPermission != .none,
            hasEnded: row.endsAt.map { $0 <= context.now } ?? false, ends: row.endsAt.map(TimeModel.init),
            made: TimeModel(row.createdAt),
            people: share.people.map { SharePersonModel($0, of: share, tenant) },
            isAlone: share.people.isEmpty, hasMore: share.hasMorePeople)
    }
}

extension SharePersonModel {
    init(_ person: ShareOverview.Person, of share: ShareOverview, _ tenant: Tenant) {
        var place = RecordsAddress()
        place.owner = person.row.user
        place.sharedBy = share.owner
        place.zone = share.zone
        let isIn = person.row.status == .accepted && person.row.permission != .none
        self.init(
            name: person.name, role: person.roleWords, permission: person.permissionWords,
            status: person.statusWords, isIn: isIn,
            isOut: [.removed, .blocked, .unsubscribed].contains(person.row.status),
            since: TimeModel(person.row.addedAt),
            lookHref: isIn && place.isLook
                ? "/console" + ConsoleContext.path(tenant, "/records" + place.query) : nil)
    }
}
