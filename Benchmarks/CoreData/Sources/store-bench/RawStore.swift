import Foundation
import GRDBSQLite

/// SQLite's own functions: what the others are compared with.
final class RawStore {
    private var handle: OpaquePointer?
    static let table = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, number INTEGER, city INTEGER, level INTEGER, wins INTEGER,
            rating REAL, height REAL, joined REAL, name TEXT, club TEXT, bio TEXT)
        """
    static let index = "CREATE INDEX player_city_rating ON player (city, rating)"
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ path: String) {
        check(
            sqlite3_open_v2(
                path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA cache_size = -64000")
        run(Self.table)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) { check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    private func check(_ code: Int32) {
        guard code == SQLITE_OK else { fatalError(String(cString: sqlite3_errmsg(handle))) }
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        return statement
    }

    func insert(_ players: [Player]) {
        run("BEGIN IMMEDIATE")
        let statement = prepare("INSERT INTO player VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for player in players {
            sqlite3_bind_int64(statement, 1, player.number)
            sqlite3_bind_int64(statement, 2, player.city)
            sqlite3_bind_int64(statement, 3, player.level)
            sqlite3_bind_int64(statement, 4, player.wins)
            sqlite3_bind_double(statement, 5, player.rating)
            sqlite3_bind_double(statement, 6, player.height)
            sqlite3_bind_double(statement, 7, player.joined.timeIntervalSinceReferenceDate)
            sqlite3_bind_text(statement, 8, player.name, -1, Self.transient)
            sqlite3_bind_text(statement, 9, player.club, -1, Self.transient)
            sqlite3_bind_text(statement, 10, player.bio, -1, Self.transient)
            sqlite3_step(statement)
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        run("COMMIT")
    }

    private static let columns = "id, number, city, level, wins, rating, height, joined, name, club, bio"

    private func read(_ statement: OpaquePointer?) -> [Player] {
        var players: [Player] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            players.append(
                Player(
                    number: sqlite3_column_int64(statement, 1), city: sqlite3_column_int64(statement, 2),
                    level: sqlite3_column_int64(statement, 3), wins: sqlite3_column_int64(statement, 4),
                    rating: sqlite3_column_double(statement, 5), height: sqlite3_column_double(statement, 6),
                    joined: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 7)),
                    name: String(cString: sqlite3_column_text(statement, 8)),
                    club: String(cString: sqlite3_column_text(statement, 9)),
                    bio: String(cString: sqlite3_column_text(statement, 10))))
        }
        sqlite3_finalize(statement)
        return players
    }

    func readAll() -> Int64 {
        var sum: Int64 = 0
        for player in read(prepare("SELECT \(Self.columns) FROM player")) { sum += player.wins }
        return sum
    }

    func readIDs() -> Int {
        var ids: [Int64] = []
        let statement = prepare("SELECT id FROM player")
        while sqlite3_step(statement) == SQLITE_ROW { ids.append(sqlite3_column_int64(statement, 0)) }
        sqlite3_finalize(statement)
        return ids.count
    }

    func count() -> Int {
        let statement = prepare("SELECT count(*) FROM player")
        sqlite3_step(statement)
        defer { sqlite3_finalize(statement) }
        return Int(sqlite3_column_int64(statement, 0))
    }

    func page(city: Int64) -> Int64 {
        let statement = prepare(
            "SELECT \(Self.columns) FROM player WHERE city = ? ORDER BY rating LIMIT 50")
        sqlite3_bind_int64(statement, 1, city)
        return read(statement).reduce(0) { $0 + $1.wins }
    }
}
