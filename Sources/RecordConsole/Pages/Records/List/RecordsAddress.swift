import RecordModel
import RecordWire

/// Which records are looked at, and how: all that the address of the list says, so that it can be shared.
struct RecordsAddress: Sendable, Equatable {
    /// One row of the filter builder.
    struct Filter: Sendable, Equatable {
        /// A field; system fields begin with ``RecordsAddress/systemPrefix``.
        var field: String
        var comparator: FilterComparator
        var value: String
    }

    /// One row of the sort builder.
    struct Sort: Sendable, Equatable {
        var field: String
        var ascending: Bool
    }

    /// Which page of the result.
    enum Page: Sendable, Equatable {
        case first
        case last
        case after(String)
        case before(String)

        /// The page to look at where there is nothing beyond a position any more; nil where that shows that there is
        /// nothing at all.
        var whenEmpty: Page? {
            switch self {
            case .first, .last: nil
            case .after: .last
            case .before: .first
            }
        }
    }

    /// Whose private database, or with ``sharedBy``, as whom one looks; nil for the public one.
    var owner: String?
    /// Whose zone it is that ``owner`` takes part in; nil for ``owner``'s own.
    var sharedBy: String?
    var zone = ZoneID.defaultName
    var type: String?
    var filters: [Filter] = []
    var sorts: [Sort] = []
    /// A further condition in the predicate language.
    var predicate = ""
    var limit = Self.limits[1]
    var page = Page.first
    var showsSystemFields = false

    /// How many rows a page may have.
    static let limits = [50, 100, 200]
    /// What sets fields that every record has apart from a type's own, which begin with a letter.
    static let systemPrefix = "___"
    private static let publicName = "public"
    /// What is between the participant and the owner of a zone in the address of what is shared. No record name of a user has it.
    private static let sharedSign: Character = "@"

    init() {}

    /// Reads the values of the address or of the form that made it; what cannot be read is left out.
    init(_ values: FormValues) {
        if let database = values["db"], database != Self.publicName {
            let names = database.split(separator: Self.sharedSign, maxSplits: 1).map(String.init)
            owner = names.first
            sharedBy = names.count == 2 ? names.last : nil
        }
        zone = values["zone"] ?? ZoneID.defaultName
        type = values["type"]
        predicate = (values["predicate"] ?? "").trimming { $0.isWhitespace }
        if let wanted = values["limit"].flatMap(Int.init), Self.limits.contains(wanted) { limit = wanted }
        showsSystemFields = values["system"] != nil
        if let marker = values["after"] {
            page = .after(marker)
        } else if let marker = values["before"] {
            page = .before(marker)
        } else if values["last"] != nil {
            page = .last
        }
        let comparators = values.all("c")
        let texts = values.all("v")
        for (index, field) in values.all("f").enumerated() where !field.isEmpty {
            guard index < comparators.count, let comparator = FilterComparator(rawValue: comparators[index])
            else { continue }
            filters.append(
                Filter(field: field, comparator: comparator, value: index < texts.count ? texts[index] : ""))
        }
        let directions = values.all("d")
        for (index, field) in values.all("s").enumerated() where !field.isEmpty {
            let isDescending = index < directions.count && directions[index] == "desc"
            sorts.append(Sort(field: field, ascending: !isDescending))
        }
    }

    var zoneID: ZoneID { ZoneID(zoneName: zone, ownerName: sharedBy) }
    var scope: DatabaseScope { isLook ? .shared : owner == nil ? .public : .private }

    /// Whether one looks as a participant at what somebody else shares.
    var isLook: Bool { owner != nil && sharedBy != nil }

    /// Whose database holds the records; nil for the public one.
    var databaseOwner: String? { sharedBy ?? owner }

    /// The value that names the database; nil for the public one.
    var databaseItem: String? {
        owner.map { owner in sharedBy.map { owner + String(Self.sharedSign) + $0 } ?? owner }
    }

    /// The values by name, in the order in which ``init(_:)`` reads them.
    var items: [(name: String, value: String)] {
        var items = placeItems
        if let type { items.append(("type", type)) }
        for filter in filters {
            items += [("f", filter.field), ("c", filter.comparator.rawValue), ("v", filter.value)]
        }
        for sort in sorts { items += [("s", sort.field), ("d", sort.ascending ? "asc" : "desc")] }
        if !predicate.isEmpty { items.append(("predicate", predicate)) }
        if limit != Self.limits[1] { items.append(("limit", String(limit))) }
        if showsSystemFields { items.append(("system", "1")) }
        switch page {
        case .first: break
        case .last: items.append(("last", "1"))
        case .after(let marker): items.append(("after", marker))
        case .before(let marker): items.append(("before", marker))
        }
        return items
    }

    /// What names the database and the zone.
    var placeItems: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let databaseItem { items.append(("db", databaseItem)) }
        if zone != ZoneID.defaultName { items.append(("zone", zone)) }
        return items
    }

    /// The query of an address, with the `?` in front; empty where there is nothing to say.
    static func query(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return "" }
        return "?"
            + items.map { FormValues.encoded($0.name) + "=" + FormValues.encoded($0.value) }.joined(
                separator: "&")
    }

    /// The address's query.
    var query: String { Self.query(items) }

    /// The address with some of it changed.
    func with(_ change: (inout RecordsAddress) -> Void) -> RecordsAddress {
        var address = self
        change(&address)
        return address
    }

    /// The address of a record in the same zone, below a tenant's; `view` is nil for its form.
    func recordPath(_ name: String, view: String? = nil) -> String {
        let items = placeItems + (view.map { [("view", $0)] } ?? [])
        return Self.recordPath(name, below: "/records/", Self.query(items))
    }

    /// Whether no path can have a record's name.
    static func isUnnameable(_ name: String) -> Bool { name == "." || name == ".." }

    /// The address of a record below that of all records, `query` with its `?`.
    ///
    /// Browsers take `.` and `..` out of paths, encoded or not, so the query carries records of such names.
    static func recordPath(_ name: String, below base: String, _ query: String) -> String {
        guard isUnnameable(name) else { return base + FormValues.encoded(name) + query }
        return base + "?name=" + name + (query.isEmpty ? "" : "&" + query.dropFirst())
    }
}
