public import RecordStorage
internal import RecordStorageMemory
internal import RecordStoragePostgres
internal import RecordStorageSQLite

/// Where records are kept, as operators write it: the one place that knows the engines.
public enum StoreLocation: Hashable, Sendable, CustomStringConvertible {
    /// SQLite in a directory: `sqlite:`, or nothing at all, for the data directory; `sqlite:/var/lib/stratus` for another.
    case sqlite(directory: String)
    /// A PostgreSQL database: `postgres://user@host/database`, as libpq takes it.
    case postgres(url: String)
    /// The memory of this process: `memory:`. Gone when it ends; for trying things out and for tests.
    case memory

    /// Who else may use the store at the same time, where it is a file.
    public enum Sharing: Sendable {
        /// Nobody on this machine: this is the server.
        case exclusive
        /// Nobody on any machine, other nodes included: the store is being copied.
        case sole
        /// A server may run beside: this is a command that makes a token, say.
        case shared
    }

    /// Reads a location.
    ///
    /// - Parameters:
    ///   - text: as in `--store`; nil or empty means SQLite in the data directory.
    ///   - dataDirectory: where SQLite's file is where the text names no directory.
    /// - Returns: nil for a text that names no engine that there is.
    public init?(_ text: String?, dataDirectory: String) {
        guard let text, !text.isEmpty else {
            self = .sqlite(directory: dataDirectory)
            return
        }
        switch text.prefix(while: { $0 != ":" }) {
        case "sqlite" where text.utf8.count > 6:
            let directory = String(text.dropFirst(7))
            self = .sqlite(directory: directory.isEmpty ? dataDirectory : directory)
        case "postgres" where text.hasPrefix("postgres://"),
            "postgresql" where text.hasPrefix("postgresql://"):
            self = .postgres(url: text)
        case "memory" where text == "memory:": self = .memory
        default: return nil
        }
    }

    /// What a text has to look like.
    public static let forms = "sqlite:DIRECTORY, postgres://USER@HOST/DATABASE or memory:"

    /// Opens the store, making what is missing.
    ///
    /// - Parameters:
    ///   - sharing: who else may use it.
    ///   - keepsRoom: whether SQLite's store keeps room back on its disk, as a server's does.
    ///   - report: takes sentences of the store for the operator's log.
    /// - Throws: `StorageError`: not reachable, locked, damaged, of a newer version, or somebody else's.
    public func open(
        _ sharing: Sharing = .exclusive, keepsRoom: Bool = false,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> any RecordStore {
        switch self {
        case .sqlite(let directory):
            try SQLiteStore(
                directory: directory, sharing: sharing == .shared ? .shared : .exclusive,
                keepsRoom: keepsRoom,
                report: report)
        case .postgres(let url): try PostgresStore(url: url, isSole: sharing == .sole)
        case .memory: MemoryStore()
        }
    }

    /// The location without a password: safe to log and to show.
    public var description: String {
        switch self {
        case .sqlite(let directory): "sqlite:\(directory)"
        case .postgres(let url): Self.withoutPassword(url)
        case .memory: "memory:"
        }
    }

    private static func withoutPassword(_ url: String) -> String {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let scheme = url.prefix(url.count - rest.count)
        // Words after the question mark may hold a password, too.
        let plain = rest.prefix { $0 != "?" }
        guard let end = plain.lastIndex(of: "@") else { return String(scheme + plain) }
        return String(scheme + plain[..<end].prefix { $0 != ":" } + plain[end...])
    }
}
