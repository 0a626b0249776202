import DemoData
import NIOCore
import RecordEngine
import RecordModel
import RecordWire

extension DemoSeeder {
    /// The field that holds a restaurant's picture.
    private static let field = "image"

    /// Uploads the restaurants' pictures where they are missing: in a new directory, and in one that was
    /// filled before there were pictures.
    func addPictures() async throws {
        let total = data.count(of: .restaurant)
        let missing = try await restaurantsWithoutPicture()
        guard !missing.isEmpty else { return }
        let start = total - missing.count
        let progress = ProgressLine(
            "Adding \(Format.grouped(total)) pictures", console: console,
            before: .init(done: Int64(start), total: Int64(total), records: start))
        defer { progress.finish() }
        // Small requests, so that the line moves.
        for batch in stride(from: 0, to: missing.count, by: Self.batchSize / 4) {
            let numbers = Array(missing[batch..<min(batch + Self.batchSize / 4, missing.count)])
            try await addPictures(to: numbers)
            let done = start + batch + numbers.count
            progress.update(.init(done: Int64(done), total: Int64(total), records: done))
        }
    }

    /// The numbers of the demo's own restaurants that are there and have no picture.
    private func restaurantsWithoutPicture() async throws -> [Int] {
        var missing: [Int] = []
        let total = data.count(of: .restaurant)
        for first in stride(from: 0, to: total, by: Self.batchSize) {
            let numbers = Array(first..<min(first + Self.batchSize, total))
            var request = RecordsLookupRequest(records: numbers.map { .init(recordName: name($0)) })
            request.desiredKeys = [Self.field]
            let records = try await answer(.recordsLookup, request).objects("records")
            for (number, record) in zip(numbers, records) where ErrorDictionary(json: record) == nil {
                if try record.object("fields")?[Self.field] == nil { missing.append(number) }
            }
        }
        return missing
    }

    private func addPictures(to numbers: [Int]) async throws {
        let type = DemoData.Kind.restaurant.rawValue
        let request = AssetsUploadRequest(
            tokens: numbers.map { .init(recordName: name($0), recordType: type, fieldName: Self.field) })
        let tokens = try AssetsUploadResponse(json: try await answer(.assetsUpload, request)).tokens
        var operations: [RecordOperation] = []
        try await withThrowingTaskGroup(of: RecordOperation.self) { group in
            for (index, (number, token)) in zip(numbers, tokens).enumerated() {
                if index >= Self.concurrency, let operation = try await group.next() {
                    operations.append(operation)
                }
                let url = try token.get().url
                group.addTask { try await upload(number, to: url) }
            }
            for try await operation in group { operations.append(operation) }
        }
        _ = try await send(RecordsModifyRequest(operations: operations, atomic: false))
    }

    /// Uploads one picture, and gives the change that puts it into its record.
    private func upload(_ number: Int, to url: String) async throws -> RecordOperation {
        let picture = data.picture(ofRestaurant: number)
        let bytes = AsyncStream<ByteBuffer> { stream in
            stream.yield(ByteBuffer(bytes: picture))
            stream.finish()
        }
        guard let token = url.firstRange(of: AssetPath.upload + "/") else {
            throw Failure("The service gave an upload address that is not a URL: \(url)")
        }
        let json = try await service.upload(bytes, token: url[token.upperBound...])
        let response = try AssetUploadResponse(
            json: try JSONReader.read(json, maximumDepth: Limits.jsonDepth).object ?? JSONObject())
        var record = RecordInput(recordName: name(number), recordType: DemoData.Kind.restaurant.rawValue)
        record.fields = [(Self.field, WireField(.asset(response.singleFile)))]
        return RecordOperation(.forceUpdate, record)
    }

    private func name(_ number: Int) -> String { DemoData.recordName(.restaurant, number) }
}
