/// What a recovery took over, and what not.
public struct RecoveryReport: Encodable, Sendable {
    /// How a table came over.
    public struct Table: Encodable, Sendable {
        /// Its name.
        public var name: String
        /// The rows that were taken over.
        public var rows = 0
        /// The places at which it could not be read; what stood there is lost.
        public var gaps = 0
    }

    /// The directory that was read.
    public var source: String
    /// The directory that was made.
    public var target: String
    /// Whether everything that was acknowledged is there, as far as the files tell.
    public var isComplete = true
    /// The commits of the log that SQLite sees.
    public var commitsInLog = 0
    /// Those after a damage, which it does not see.
    public var commitsAfterDamage = 0
    /// How many of those were taken over.
    public var commitsTakenOver = 0
    /// The pages whose newest state is damaged in the log.
    public var damagedPages: [Int] = []
    /// The last sequence number of the database that was made.
    public var lastSequence: Int64 = 0
    /// The tables, where they had to be copied row by row.
    public var tables: [Table] = []
    /// What was done, and what to know of it, in sentences.
    public var notes: [String] = []

    /// The report for people.
    public var text: String {
        var lines = [
            isComplete
                ? "Everything that the files hold was taken over."
                : "Not everything was recovered; what is missing is listed below.",
            "From \(source) to \(target).", "The last sequence number is \(lastSequence).",
        ]
        lines += notes
        if !damagedPages.isEmpty {
            lines.append("Pages that are damaged: \(damagedPages.map(String.init).joined(separator: ", ")).")
        }
        for table in tables {
            lines.append(
                "Table \(table.name): \(table.rows) rows"
                    + (table.gaps > 0 ? ", \(table.gaps) places could not be read." : "."))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
