import RecordImport
import RecordModel
import RecordWire

/// Sends batches, each until all of its records are saved or refused for good.
struct ImportSender: Sendable {
    private let client: RemoteClient
    private let zone: ZoneID?

    init(_ client: RemoteClient, zone: ZoneID?) {
        self.client = client
        self.zone = zone
    }

    /// Sends a batch.
    ///
    /// - Throws: when the server refuses the request as a whole, or cannot be reached.
    func send(_ batch: ImportBatch) async throws -> ImportOutcome {
        var outcome = ImportOutcome(
            number: batch.number, end: batch.end, nextLine: batch.nextLine, imported: 0,
            problems: batch.problems)
        var left = batch.items
        var attempt = 1
        while !left.isEmpty {
            let results = try await answers(to: left)
            var again: [ImportBatch.Item] = []
            var wait: Double?
            for (item, result) in zip(left, results) {
                guard let error = result else {
                    outcome.imported += 1
                    continue
                }
                if error.isTemporary, attempt < client.attempts {
                    again.append(item)
                    wait = max(wait ?? 0, error.retryAfter ?? 0)
                } else {
                    outcome.problems.append(
                        RowProblem(line: item.line, reason: Self.reason(error), row: item.row))
                }
            }
            left = again
            guard !left.isEmpty else { break }
            try await client.pause(after: attempt, asked: wait == 0 ? nil : wait)
            attempt += 1
        }
        outcome.problems.sort { $0.line < $1.line }
        return outcome
    }

    /// The server's words; where a value has another type than the schema says, with the flag that helps.
    static func reason(_ error: ErrorDictionary) -> String {
        let remedy = error.remedy.map { " \($0)" } ?? ""
        let text = error.reason ?? ""
        guard let match = text.firstMatch(of: /expected type (?<type>[A-Z0-9_]+)/) else {
            return error.description + remedy
        }
        let field =
            (text + remedy).firstMatch(of: /[Ff]ield '(?<name>[^']+)'/).map { String($0.name) } ?? "NAME"
        return
            "\(error.description)\(remedy) — if the column holds such values, add --field '\(field):\(match.type)'."
    }

    /// The errors of the records in their order, nil for those that were saved. Fields that the file does not have stay, files
    /// and encrypted ones above all. Saving what is saved already changes
    /// nothing but its change tag, so a batch whose answer was lost is simply sent again.
    private func answers(to items: [ImportBatch.Item]) async throws -> [ErrorDictionary?] {
        var request = RecordsModifyRequest(
            operations: items.map { RecordOperation(.forceUpdate, $0.record) }, zoneID: zone, atomic: false)
        request.desiredKeys = []
        let object: JSONObject
        do {
            object = try await client.send(.recordsModify, request)
        } catch let error as ErrorDictionary
            where error.serverErrorCode == ServiceError.Code.quotaExceeded.description && items.count > 1
        {
            // Too large together: each half by itself may be small enough.
            let middle = items.count / 2
            return try await answers(to: Array(items[..<middle])) + answers(to: Array(items[middle...]))
        }
        let records = try object.objects("records")
        guard records.count == items.count else {
            throw Failure("The server answered \(records.count) records for \(items.count) that were sent.")
        }
        return records.map(ErrorDictionary.init(json:))
    }
}
