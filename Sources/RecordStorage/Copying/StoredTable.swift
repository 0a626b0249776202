/// A table of the engines, and what becomes of its rows wherever data is carried or looked at.
///
/// ``all`` is the one list: the commands print what they leave out from it, and a test compares it with the tables that each
/// engine makes. So a table that is new is carried, or is named with a reason. Backups are not asked here: a backup has
/// the whole file of SQLite.
package struct StoredTable: Sendable {
    /// What a command does with the rows.
    package enum Fate: Hashable, Sendable {
        /// It takes them along, or compares them.
        case covered
        /// It does not, and why not.
        case left(String)
    }

    /// The table's name in SQLite and in PostgreSQL; nil where an engine has none. `r#` stands for `r` and a number.
    package let sqlite: String?
    package let postgres: String?
    /// What the rows are, for people.
    package let contents: String
    /// What `stratus copy-store` does with them.
    package let copying: Fate
    /// What `stratus container export` does with them.
    package let exporting: Fate
    /// What the archive of one person's account does with them.
    package let archiving: Fate
    /// Whether `stratus doctor` compares what the rows say with other rows or with files.
    package var checking: Fate {
        let name = sqlite ?? postgres ?? ""
        return Self.compared.contains(name)
            ? .covered : .left("Its pages are checked, and what its rows say is compared with nothing.")
    }

    private static let compared: Set = [
        "tenant", "record_type", "field", "database", "directory", "r#", "b#", "reference", "asset",
        "asset_use",
        "token", "user", "meta", "automatic_index", "job",
    ]

    /// The tables that a command leaves out.
    package static func left(
        by command: (StoredTable) -> Fate
    ) -> [(contents: String, reason: String)] {
        all.compactMap { table in
            guard case .left(let reason) = command(table) else { return nil }
            return (table.contents, reason)
        }
    }

    private init(
        _ name: String?, postgres: String? = nil, _ contents: String, copying: Fate = .covered,
        exporting: Fate = .covered, archiving: Fate = .covered
    ) {
        sqlite = name
        self.postgres = postgres ?? name
        self.contents = contents
        self.copying = copying
        self.exporting = exporting
        self.archiving = archiving
    }

    /// A table that one engine has and that is about that engine's own work.
    private init(sqlite: String? = nil, postgres: String? = nil, _ contents: String, left reason: String) {
        self.sqlite = sqlite
        self.postgres = postgres
        self.contents = contents
        copying = .left(reason)
        exporting = Self.ofTheServer
        archiving = Self.ofTheServer
    }

    /// A table in which SQLite has a part of what another table has in PostgreSQL.
    private init(inSQLite name: String, _ contents: String, like other: StoredTable) {
        sqlite = name
        postgres = nil
        self.contents = contents
        copying = other.copying
        exporting = other.exporting
        archiving = other.archiving
    }

    private static let ofTheServer = Fate.left("It is about the server that keeps it.")
    private static let ofOperators = Fate.left("It is about the server's operators, for all containers.")
    private static let ofAccounts = Fate.left("Accounts are the server's, for all of its containers.")
    private static let ofClients = Fate.left("Clients register again; it names positions of this store.")
    private static let ofTheApp = Fate.left("It is the app's, not the person's.")
    private static let ofSharing = Fate.left(
        "It names people and positions of this server: share again where the records go.")
    private static let letsIn = Fate.left("It would let somebody in.")

    private static let records = StoredTable("r#", "records")
    private static let counters = StoredTable(
        "meta", "counters", exporting: ofTheServer, archiving: ofTheServer)

    /// All tables of both engines.
    package static let all: [StoredTable] = [
        StoredTable("tenant", "containers", archiving: ofTheApp),
        StoredTable("record_type", "record types", archiving: ofTheApp),
        StoredTable("field", "fields of record types", archiving: ofTheApp),
        StoredTable("type_grant", "rights to record types", archiving: ofTheApp),
        StoredTable("system_index", "indexes of system fields", archiving: ofTheApp),
        StoredTable("security_role", "security roles", archiving: ofTheApp),
        StoredTable("database", "databases"),
        StoredTable("zone", "zones"),
        StoredTable("directory", "names of records"),
        records, StoredTable(inSQLite: "b#", "bodies of records", like: records),
        StoredTable("reference", "references"),
        StoredTable("asset", "files"),
        StoredTable("asset_use", "uses of files"),
        StoredTable(
            "record_version", "earlier versions of records",
            exporting: .left("A container's files have what is there; backups and copies have versions."),
            archiving: .left("An archive has what is there.")),
        StoredTable(
            "version_asset", "files of earlier versions",
            exporting: .left("A container's files have what is there; backups and copies have versions."),
            archiving: .left("An archive has what is there.")),
        StoredTable("user", postgres: "account", "users"),
        StoredTable("token", "tokens and keys", archiving: letsIn),
        StoredTable("sign_in_account", "accounts", exporting: ofAccounts),
        StoredTable("credential", "passwords and second steps", exporting: ofAccounts),
        StoredTable("session", "sessions of people who are signed in", exporting: ofAccounts),
        StoredTable(
            "account_link", "mailed links and device codes", exporting: ofAccounts, archiving: letsIn),
        StoredTable(
            "sign_in_policy", "settings of sign-in pages", exporting: ofAccounts, archiving: ofTheApp),
        StoredTable("sign_in_provider", "sign-in providers", exporting: ofAccounts, archiving: ofTheApp),
        StoredTable(
            "erasure", "removals of users that go on",
            exporting: .left("The server finishes them; what is left then is not exported."),
            archiving: .left("Its account is gone.")),
        StoredTable(
            "push_key", "keys for Apple's push service",
            exporting: .left("They are secrets that Apple gave to the server's operator."),
            archiving: ofTheApp),
        StoredTable("subscription", "subscriptions", exporting: ofClients, archiving: ofTheApp),
        StoredTable("receiver", "receivers of notifications", exporting: ofClients, archiving: letsIn),
        StoredTable(
            "webhook", "webhooks",
            exporting: .left("A second server with the same hooks would deliver everything twice."),
            archiving: ofTheApp),
        StoredTable("share", "shares", exporting: ofSharing, archiving: ofSharing),
        StoredTable("participant", "participants of shares", exporting: ofSharing, archiving: ofSharing),
        StoredTable(
            "share_departure", "records that left a share", exporting: ofSharing, archiving: ofSharing),
        StoredTable("share_link", "links to records", exporting: letsIn, archiving: letsIn),
        StoredTable("invitation", "invitations to shares", exporting: letsIn, archiving: letsIn),
        StoredTable("change_watch", "watches of changes", exporting: ofClients, archiving: ofTheApp),
        StoredTable("change_log", "logged changes", exporting: ofClients, archiving: ofTheApp),
        StoredTable(
            "kept_outcome", "answers to requests with idempotency keys", exporting: ofClients,
            archiving: ofTheApp),
        StoredTable("operator", "operators", exporting: ofOperators, archiving: ofOperators),
        StoredTable("operator_token", "operators' tokens", exporting: ofOperators, archiving: ofOperators),
        StoredTable("audit", "the audit log", exporting: ofOperators, archiving: ofOperators),
        counters, StoredTable(inSQLite: "sqlite_sequence", "counters of tables", like: counters),
        StoredTable(
            "moment", "times of deletions",
            copying: .left("The time after which deletions may be forgotten begins with the copy."),
            exporting: ofTheServer, archiving: ofTheServer),
        StoredTable(
            "change_mark", "times of logged changes",
            copying: .left("The time after which logged changes may be forgotten begins with the copy."),
            exporting: ofTheServer, archiving: ofTheServer),
        StoredTable(
            sqlite: "automatic_index", "indexes that SQLite's store made for queries",
            left: "They come again with the queries."),
        StoredTable(
            sqlite: "job", "work in the background",
            left: "The source finishes it before the copy begins."),
        StoredTable(
            sqlite: "grdb_migrations", "the layout of SQLite's file", left: "A copy has the newest."),
        StoredTable(
            postgres: "lease", "which of PostgreSQL's nodes does what",
            left: "It ends with the nodes."),
        StoredTable(
            postgres: "committer", "the last commits of PostgreSQL's nodes",
            left: "It is for nodes that have lost an answer."),
    ]
}
