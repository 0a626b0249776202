internal import Foundation
internal import RecordModel
internal import RecordWire

/// The events of a live query or a live count: it connects again by itself, and goes on after the last event it had.
struct LiveFeed {
    let database: CKDatabase
    let endpoint: Endpoint
    let query: CKQuery
    let zoneID: CKRecordZone.ID?
    let desiredKeys: [CKRecord.FieldKey]?
    let limit: Int
    private var events = ServerSentEvents()
    private var waiting: [ServerSentEvents.Event] = []
    private var stream: AsyncThrowingStream<[UInt8], any Error>.Iterator?
    private var pause = Reconnection()

    init(
        database: CKDatabase, endpoint: Endpoint, query: CKQuery, zoneID: CKRecordZone.ID?,
        desiredKeys: [CKRecord.FieldKey]? = nil, limit: Int
    ) {
        self.database = database
        self.endpoint = endpoint
        self.query = query
        self.zoneID = zoneID
        self.desiredKeys = desiredKeys
        self.limit = limit
    }

    /// The next event's name and data; nil when the task was cancelled.
    ///
    /// - Throws: `CKError` where the service refuses.
    mutating func next() async throws -> (name: String, json: JSONObject)? {
        while !Task.isCancelled {
            do {
                if !waiting.isEmpty { return try Self.read(waiting.removeFirst()) }
                if stream == nil { stream = try open() }
                if let bytes = try await stream?.next() {
                    waiting = events.take(bytes)
                    pause = Reconnection()
                    continue
                }
            } catch let error as CKError where !error.isWorthWaiting {
                throw error
            } catch {
                if Task.isCancelled { return nil }
            }
            // The service ends streams now and then; half an event is thrown away.
            stream = nil
            waiting = []
            events = events.resumed
            await pause.wait()
        }
        return nil
    }

    /// Leaves the stream, and asks for everything as if for the first time.
    mutating func startAgain() {
        stream = nil
        waiting = []
        events = ServerSentEvents()
    }

    private func open() throws(CKError) -> AsyncThrowingStream<[UInt8], any Error>.Iterator {
        let walk = try QueryWalk(
            query, in: zoneID, desiredKeys: desiredKeys, limit: limit, of: database)
        return database.client.stream(
            endpoint, in: database.databaseScope.model,
            query: String(decoding: walk.request.encoded(), as: UTF8.self), lastID: events.lastID,
            options: database.options
        ).makeAsyncIterator()
    }

    private static func read(_ event: ServerSentEvents.Event) throws(CKError) -> (String, JSONObject) {
        let json: JSONObject
        do {
            json = try JSONReader.read(Array(event.data.utf8)).object ?? JSONObject()
        } catch { throw CKError(any: error) }
        if event.name == "error" {
            throw ErrorDictionary(json: json).map { CKError($0) }
                ?? CKError(.internalError, "The service ended a live query without saying why.")
        }
        return (event.name, json)
    }
}

extension CKError {
    /// Whether another attempt may succeed by itself.
    var isWorthWaiting: Bool {
        [.networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .serverResponseLost]
            .contains(code)
    }
}
