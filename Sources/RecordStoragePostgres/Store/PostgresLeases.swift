internal import PostgresAccess
internal import RecordStorage

/// Who does a job: a row of `lease` for each, with its holder and an end by the database's clock, since the clocks of nodes
/// differ.
struct PostgresLeases: Sendable {
    let node: [UInt8]

    private static let takeStatement = PostgresStatement(
        """
        INSERT INTO lease (job, holder, ends_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
        ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
        WHERE (lease.ends_at <= clock_timestamp() OR lease.holder = excluded.holder)
            AND (lease.done_at IS NULL OR lease.done_at <= clock_timestamp() - $4 * interval '1 second')
        RETURNING true
        """, .text, .bytea, .int8, .int8)
    private static let renewStatement = PostgresStatement(
        """
        UPDATE lease SET ends_at = clock_timestamp() + $3 * interval '1 second'
        WHERE job = $1 AND holder = $2 AND ends_at > clock_timestamp() RETURNING true
        """, .text, .bytea, .int8)
    private static let returnStatement = PostgresStatement(
        """
        UPDATE lease SET ends_at = clock_timestamp(), done_at = CASE WHEN $3 THEN clock_timestamp() ELSE done_at END
        WHERE job = $1 AND holder = $2 AND ends_at > clock_timestamp()
        """, .text, .bytea, .bool)

    /// Connections that read see one moment by default, and refuse to change what others changed since.
    private static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

    /// Takes a job that is due and that nobody has.
    func take(_ job: StoreJob, _ connection: PostgresConnection) throws -> Bool {
        try connection.transaction(Self.begin) {
            try connection.run(
                Self.takeStatement, .text(job.name), .bytes(node), .int(Int64(job.leaseSeconds)),
                .int(Int64(job.intervalSeconds))
            ).count > 0
        }
    }

    /// Keeps a job for longer; false where it was lost.
    func renew(_ job: StoreJob, _ connection: PostgresConnection) throws -> Bool {
        try connection.transaction(Self.begin) {
            try connection.run(
                Self.renewStatement, .text(job.name), .bytes(node), .int(Int64(job.leaseSeconds))
            ).count > 0
        }
    }

    /// Lets others have a job.
    func giveBack(_ job: StoreJob, isDone: Bool, _ connection: PostgresConnection) throws {
        _ = try connection.transaction(Self.begin) {
            try connection.run(Self.returnStatement, .text(job.name), .bytes(node), .bool(isDone))
        }
    }
}
