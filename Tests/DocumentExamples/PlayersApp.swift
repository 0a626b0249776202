import CloudKit
import Foundation

// The code of an app that finds people to play ball with, as an iOS developer writes it. Live tests call it
// with a database of a running service; here it only has to compile.

/// What the app shows of a player.
struct Player: Equatable {
    let recordID: CKRecord.ID
    var name: String
    var city: String
    var likes: Int

    init?(record: CKRecord) {
        guard let name = record["name"] as? String else { return nil }
        recordID = record.recordID
        self.name = name
        city = record.object(forKey: "city") as? String ?? ""
        likes = record["likes"] as? Int ?? 0
    }
}

/// Fetches players page by page, in the style of blocks.
final class PlayersLoader {
    private let database: CKDatabase
    private var cursor: CKQueryOperation.Cursor?
    private(set) var players: [Player] = []
    private(set) var hasMore = true

    init(database: CKDatabase) {
        self.database = database
    }

    func loadNextPage(completion: @escaping ((any Error)?) -> Void) {
        let operation: CKQueryOperation
        if let cursor = cursor {
            operation = CKQueryOperation(cursor: cursor)
        } else {
            let query = CKQuery(recordType: "Player", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            operation = CKQueryOperation(query: query)
        }
        operation.resultsLimit = 15

        var newItems: [CKRecord] = []
        operation.recordFetchedBlock = { newItems.append($0) }
        operation.queryCompletionBlock = { cursor, error in
            self.players += newItems.compactMap(Player.init(record:))
            self.cursor = cursor
            self.hasMore = cursor != nil
            completion(error)
        }
        database.add(operation)
    }
}

/// Creates a player's profile.
func createPlayer(
    named name: String, city: String, in database: CKDatabase,
    completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
) {
    let record = CKRecord(recordType: "Player")
    record.setValue(name, forKey: "name")
    record.setValue(city, forKey: "city")
    record.setValue(0, forKey: "likes")
    database.save(record) { record, error in
        completion(record, error)
    }
}

/// Likes a player; when somebody else liked the player meanwhile, counts on from their number.
func like(_ recordID: CKRecord.ID, in database: CKDatabase) async throws -> Int {
    var record = try await database.record(for: recordID)
    while true {
        record["likes"] = (record["likes"] as? Int ?? 0) + 1
        do {
            let saved = try await database.save(record)
            return saved["likes"] as? Int ?? 0
        } catch let error as CKError where error.code == .serverRecordChanged {
            guard let serverRecord = error.serverRecord else { throw error }
            record = serverRecord
        }
    }
}

/// Adds a player to the user's favourites.
func addFavourite(
    _ player: CKRecord, in database: CKDatabase,
    completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
) {
    let favourite = CKRecord(recordType: "Favourite")
    favourite["player"] = CKRecord.Reference(record: player, action: .deleteSelf)
    database.save(favourite, completionHandler: completion)
}

/// The players that the user saved, newest favourite first.
func favouritePlayers(in database: CKDatabase) async throws -> [Player] {
    let query = CKQuery(recordType: "Favourite", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
    let (matches, _) = try await database.records(matching: query)
    let favourites = try matches.map { try $0.1.get() }
    let ids = favourites.compactMap { ($0["player"] as? CKRecord.Reference)?.recordID }
    let players = try await database.records(for: ids)
    return try ids.compactMap { try players[$0]?.get() }.compactMap(Player.init(record:))
}

/// Publishes a post of a player.
func publishPost(_ text: String, by player: CKRecord, in database: CKDatabase) async throws -> CKRecord {
    let post = CKRecord(recordType: "Post")
    post["text"] = text
    post["author"] = CKRecord.Reference(recordID: player.recordID, action: .deleteSelf)
    post["tags"] = text.split(separator: " ").filter { $0.hasPrefix("#") }.map(String.init)
    return try await database.save(post)
}

/// The posts of a player, newest first, with their texts only.
func posts(
    of player: CKRecord, in database: CKDatabase, completion: @escaping ([String], (any Error)?) -> Void
) {
    let predicate = NSPredicate(format: "author == %@", player.recordID)
    let query = CKQuery(recordType: "Post", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
    let operation = CKQueryOperation(query: query)
    operation.desiredKeys = ["text"]
    var texts: [String] = []
    operation.recordMatchedBlock = { _, result in
        if case .success(let record) = result, let text = record["text"] as? String { texts.append(text) }
    }
    operation.queryResultBlock = { result in
        switch result {
        case .success: completion(texts, nil)
        case .failure(let error): completion(texts, error)
        }
    }
    database.add(operation)
}

/// Sends feedback to the app's makers.
func sendFeedback(
    _ message: String, rating: Int, in database: CKDatabase, completion: @escaping (Bool) -> Void
) {
    let feedback = CKRecord(recordType: "Feedback")
    feedback["message"] = message as any CKRecordValue
    feedback["rating"] = rating as any CKRecordValue
    let operation = CKModifyRecordsOperation(recordsToSave: [feedback], recordIDsToDelete: nil)
    operation.savePolicy = .allKeys
    operation.modifyRecordsCompletionBlock = { saved, _, error in
        completion(error == nil && saved?.count == 1)
    }
    database.add(operation)
}
