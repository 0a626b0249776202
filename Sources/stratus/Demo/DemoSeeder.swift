import DemoData
import RecordEngine
import RecordModel
import RecordWire

/// Fills the demo's container through the service itself, by the same rules as any client.
struct DemoSeeder: Sendable {
    static let batchSize = 200
    /// Requests at once: enough for the disk to have the next ones while it confirms the last ones.
    static let concurrency = 4

    let service: RecordService
    let data: DemoData
    let console: Console

    /// Adds what is missing, records and pictures; nothing when all is there.
    ///
    /// - Returns: how many records were written.
    /// - Throws: a ``Failure`` when the service refuses.
    @discardableResult
    func fill() async throws -> Int {
        var written = 0
        for kind in DemoData.Kind.allCases { written += try await fill(kind) }
        try await addPictures()
        return written
    }

    private func fill(_ kind: DemoData.Kind) async throws -> Int {
        let total = data.count(of: kind)
        let there = try await count(kind)
        guard there < total else { return 0 }
        // An interrupted run may have left gaps among the requests that were on their way.
        let start = max(0, there - (there % Self.batchSize) - Self.concurrency * Self.batchSize)
        let noun = kind.rawValue.lowercased() + "s"
        let progress = ProgressLine(
            "Filling in \(Format.grouped(total)) \(noun)", console: console,
            before: .init(done: Int64(start), total: Int64(total), records: start))
        defer { progress.finish() }
        var done = start
        try await withThrowingTaskGroup(of: Int.self) { group in
            var inFlight = 0
            for request in data.batches(of: Self.batchSize, kind: kind, from: start) {
                if inFlight == Self.concurrency, let count = try await group.next() {
                    inFlight -= 1
                    done += count
                    progress.update(.init(done: Int64(done), total: Int64(total), records: done))
                }
                inFlight += 1
                group.addTask { try await send(request) }
            }
            for try await count in group { done += count }
        }
        return done - start
    }

    private func count(_ kind: DemoData.Kind) async throws -> Int {
        let request = RecordsQueryRequest(query: QueryDictionary(recordType: kind.rawValue))
        do {
            return try CountResponse(json: try await answer(.recordsCount, request)).count
        } catch let error as ErrorDictionary
            where error.serverErrorCode == ServiceError.Code.notFound.description
        {
            return 0  // The record type is created with its first record.
        }
    }

    func send(_ request: RecordsModifyRequest) async throws -> Int {
        let answer = try await answer(.recordsModify, request)
        for object in try answer.objects("records") {
            if let error = ErrorDictionary(json: object) { throw error }
        }
        return request.operations.count
    }

    func answer(_ endpoint: Endpoint, _ request: some WireRequest) async throws -> JSONObject {
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: try DemoAccess.tenant(), scope: .public,
                credentials: Credentials(
                    apiToken: DemoAccess.apiToken, webAuthToken: DemoAccess.webAuthToken),
                body: request.encoded(), requestID: "demo"))
        guard let object = try JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object else {
            throw Failure("The service did not answer with a JSON object.")
        }
        if answer.status != 200, let error = ErrorDictionary(json: object) { throw error }
        return object
    }
}
