import CloudKit
import Foundation
import RecordEngine
import Synchronization
import Testing

@testable import DocumentExamples

/// Code as apps for iCloud have it, against a live server.
@Suite struct DocumentTests {
    @Test func pagesThroughPlayersFifteenAtATime() async throws {
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            let players = (0..<40).map { number in
                let player = CKRecord(recordType: "Player")
                player["name"] = String(format: "Player %02d", number)
                player["city"] = "Hue"
                player["likes"] = 0
                return player
            }
            _ = try await database.modifyRecords(saving: players, deleting: [])
            let loader = PlayersLoader(database: database)
            var sizes: [Int] = []
            while loader.hasMore {
                let before = loader.players.count
                try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Void, any Error>) in
                    loader.loadNextPage { error in
                        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                    }
                }
                sizes.append(loader.players.count - before)
            }
            #expect(sizes == [15, 15, 10])
            #expect(loader.players.map(\.name) == (0..<40).map { String(format: "Player %02d", $0) })
        }
    }

    @Test func likesFavouritesPostsAndFeedback() async throws {
        try await withCloud(.live, likedType: "Player") { container in
            let ada = try await container("ada").publicCloudDatabase
            let bob = try await container("bob").publicCloudDatabase
            let player = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<CKRecord?, any Error>) in
                createPlayer(named: "Ada", city: "Paris", in: ada) { record, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: record)
                    }
                }
            }
            let record = try #require(player)
            // Both like at once: the one who comes second counts on from the first one's number.
            async let first = like(record.recordID, in: ada)
            async let second = like(record.recordID, in: bob)
            #expect(try await Set([first, second]) == [1, 2])

            let mine = try await container("ada").privateCloudDatabase
            let localPlayer = try await mine.save(CKRecord(recordType: "Player", recordID: record.recordID))
            localPlayer["name"] = "Ada"
            _ = try await mine.save(localPlayer)
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                addFavourite(localPlayer, in: mine) { _, error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
            #expect(try await favouritePlayers(in: mine).map(\.name) == ["Ada"])

            _ = try await publishPost("First #goal", by: record, in: ada)
            _ = try await publishPost("Second", by: record, in: ada)
            let texts = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<[String], any Error>) in
                posts(of: record, in: bob) { texts, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: texts)
                    }
                }
            }
            #expect(texts == ["Second", "First #goal"])
            let isSent = await withCheckedContinuation { continuation in
                sendFeedback("Great", rating: 5, in: bob) { continuation.resume(returning: $0) }
            }
            #expect(isSent)
        }
    }

    @Test func showsRestaurantsByBothInterfaces() async throws {
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            for (name, degrees) in [("Café Deadend", 22.28), ("Homei", 22.29), ("Teakha", 22.9)] {
                try await withCheckedThrowingContinuation {
                    (continuation: CheckedContinuation<Void, any Error>) in
                    saveRestaurant(
                        name: name, type: "Café", location: "Hong Kong",
                        place: CLLocation(latitude: degrees, longitude: 114.15), in: database
                    ) { _, error in
                        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                    }
                }
                // The order is by creation, in milliseconds.
                try await Task.sleep(for: .milliseconds(3))
            }
            let all = await withCheckedContinuation { continuation in
                fetchRestaurants(from: database) { records, _ in continuation.resume(returning: records) }
            }
            #expect(all.compactMap { $0["name"] as? String } == ["Teakha", "Homei", "Café Deadend"])

            let named = await withCheckedContinuation { continuation in
                fetchRestaurantNames(from: database, limit: 2) { records, cursor, _ in
                    continuation.resume(returning: (records, cursor))
                }
            }
            #expect(named.0.map { $0.allKeys() } == [["name"], ["name"]], "only what was asked for came")
            #expect(named.1 != nil)
            let first = try #require(named.0.first)
            let location = await withCheckedContinuation { continuation in
                fetchField("location", of: first.recordID, from: database) { value, _ in
                    continuation.resume(returning: value as? String)
                }
            }
            #expect(location == "Hong Kong")
            let near = try await restaurants(
                near: CLLocation(latitude: 22.285, longitude: 114.15), metres: 5_000, in: database)
            #expect(Set(near.compactMap { $0["name"] as? String }) == ["Café Deadend", "Homei"])
        }
    }

    @Test func savesAPhotoAndShowsItWhenItsRowComes() async throws {
        // A GIF of one pixel.
        let picture = Data([
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0xF0, 0x10, 0x10, 0, 0, 0, 0x2C, 0, 0,
            0, 0,
            1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
        ])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("photo-\(UUID().uuidString)")
        try picture.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            let saved = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<CKRecord?, any Error>) in
                saveRestaurant(
                    name: "Café Deadend", type: "Café", location: "Hong Kong", photo: file, in: database
                ) { record, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: record)
                    }
                }
            }
            let temporary = try #require((saved?["image"] as? CKAsset)?.fileURL)
            #expect(!FileManager.default.fileExists(atPath: temporary.path))
            let bob = try await container("bob").publicCloudDatabase
            let (named, _, _) = await withCheckedContinuation { continuation in
                fetchRestaurantNames(from: bob) { continuation.resume(returning: ($0, $1, $2)) }
            }
            let row = try #require(named.first)
            #expect(named.count == 1 && row["image"] == nil, "no photo came with the name")
            let image = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Data?, any Error>) in
                fetchImage(of: row.recordID, from: bob) { data, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: data)
                    }
                }
            }
            #expect(image?.starts(with: [0xFF, 0xD8, 0xFF]) == true, "a JPEG")
        }
    }

    /// The query operation's contract, by the class reference.
    @Test func keepsTheOrderOfTheQueryOperation() async throws {
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            let records = (0..<30).map { number in
                let record = CKRecord(recordType: "Number")
                record["value"] = number
                return record
            }
            _ = try await database.modifyRecords(saving: records, deleting: [])
            let query = CKQuery(recordType: "Number", predicate: NSPredicate(format: "value >= 10"))
            query.sortDescriptors = [NSSortDescriptor(key: "value", ascending: false)]
            let events = await withCheckedContinuation { continuation in
                let log = EventLog()
                let operation = CKQueryOperation(query: query)
                operation.recordFetchedBlock = { log.add("\($0["value"] as? Int ?? -1)") }
                operation.queryCompletionBlock = { cursor, error in
                    log.add(error == nil && cursor == nil ? "done" : "failed")
                }
                operation.completionBlock = {
                    log.add("finished")
                    continuation.resume(returning: log.events)
                }
                database.add(operation)
            }
            #expect(events == (10..<30).reversed().map(String.init) + ["done", "finished"])
        }
    }
}

/// What happened, in its order, from any thread.
private final class EventLog: Sendable {
    private let list = Mutex<[String]>([])

    var events: [String] { list.withLock { $0 } }

    func add(_ event: String) { list.withLock { $0.append(event) } }
}
