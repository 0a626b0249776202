internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// What a transaction tells other nodes with its commit.
extension PostgresWriter {
    func announce(_ announcement: StoreAnnouncement) throws {
        switch announcement {
        case .revocation: hasRevoked = true
        case .subscriptions(let user): subscribers.insert(user)
        }
    }

    private static let countRevocation = PostgresCommand(
        sql: """
            INSERT INTO meta VALUES ('revocations', 1) ON CONFLICT (key) DO UPDATE SET value = meta.value + 1
            """)

    /// What a transaction that took something away ends with: other nodes learn of it at once, and one that misses the hint sees
    /// that the number is another one.
    func tellRevocations() throws {
        guard hasRevoked else { return }
        try write(Self.countRevocation)
        try write(PostgresCommand(sql: "NOTIFY \(PostgresLayout.revocationChannel)"))
    }

    private static let notifyStatement = PostgresStatement(
        "SELECT pg_notify('\(PostgresLayout.subscriberChannel)', $1)", .text)

    /// What a transaction that changed subscriptions ends with: polls that wait at other nodes learn of it at once.
    func tellSubscribers() throws {
        for user in subscribers { try write(Self.notifyStatement, .text(PostgresText.encoded(user))) }
    }
}
