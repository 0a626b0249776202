import Foundation
import GRDB

/// GRDB's records with columns read by name, which is how most apps use it.
struct PlayerRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var player: Player

    init(_ player: Player) { self.player = player }

    init(row: Row) throws {
        player = Player(
            number: row["number"], city: row["city"], level: row["level"], wins: row["wins"],
            rating: row["rating"],
            height: row["height"], joined: Date(timeIntervalSinceReferenceDate: row["joined"]),
            name: row["name"],
            club: row["club"], bio: row["bio"])
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["number"] = player.number
        container["city"] = player.city
        container["level"] = player.level
        container["wins"] = player.wins
        container["rating"] = player.rating
        container["height"] = player.height
        container["joined"] = player.joined.timeIntervalSinceReferenceDate
        container["name"] = player.name
        container["club"] = player.club
        container["bio"] = player.bio
    }
}

final class GRDBStore {
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA cache_size = -64000")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: RawStore.table) }
    }

    func index() throws { try queue.write { try $0.execute(sql: RawStore.index) } }

    func insert(_ players: [Player]) throws {
        try queue.write { database in
            for player in players { try PlayerRecord(player).insert(database) }
        }
    }

    func readAll() throws -> Int64 {
        try queue.read { try PlayerRecord.fetchAll($0).reduce(0) { $0 + $1.player.wins } }
    }

    func readIDs() throws -> Int {
        try queue.read { try Int64.fetchAll($0, sql: "SELECT id FROM player").count }
    }

    func count() throws -> Int { try queue.read { try PlayerRecord.fetchCount($0) } }

    func page(city: Int64) throws -> Int64 {
        try queue.read { database in
            try PlayerRecord.filter(Column("city") == city).order(Column("rating")).limit(50).fetchAll(
                database
            )
            .reduce(0) { $0 + $1.player.wins }
        }
    }
}
