import RecordModel
import RecordStorage
import RecordWire

extension LivePlan {
    /// The first page: the answer of `records/query`, and each record's place.
    func page(_ reader: any StoreReader, isReplacement: Bool) throws -> [UInt8] {
        // A zone that was deleted has no records; the query goes on in case it comes back.
        let zones: [ZoneRow]
        do {
            zones = try plan.zones(context, reader)
        } catch let error as ServiceError where error.code == .zoneNotFound && isReplacement {
            zones = []
        }
        let names = Dictionary(zones.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let visibility = ChangeVisibility(rights: context.rights)
        var budget = AnswerBudget()
        var outcome = ScanOutcome(next: nil, plan: .index)
        return try ServiceOutput { writer in
            writer.beginObject()
            if isReplacement { writer.member("startAgain", true) }
            writer.key("records")
            writer.beginArray()
            if !zones.isEmpty {
                outcome = try reader.scan(plan.scan(zones: zones.map(\.id), after: nil, limit: limit)) {
                    row in
                    let record = try LoggedRecord(body: Array(row.body))
                    guard visibility.mayRead(record, of: plan.type) else { return true }
                    let (id, zone) = (row.id, names[row.zone] ?? ZoneID.defaultName)
                    return try budget.write(to: &writer) { try write(record, id: id, in: zone, to: &$0) }
                }
            }
            writer.endArray()
            writer.member("moreComing", outcome.next != nil)
            if let next = outcome.next {
                writer.member(
                    "continuationMarker",
                    ContinuationMarker.make(next, for: plan.identity, secret: service.secret))
            }
            budget.writeReason(to: &writer)
            writer.endObject()
        }.body
    }

    /// Writes a record with its place in the result.
    private func write(
        _ record: LoggedRecord, id: Int64, in zone: String, to writer: inout JSONWriter
    ) throws {
        let place = Array(",\"place\":\"\(place(of: record, id: id))\"".utf8)
        let selection = RecordBody.Selection(
            desiredKeys: request.desiredKeys, numbersAsStrings: request.numbersAsStrings,
            suffix: context.zoneSuffix(zone) + place,
            assetURL: plan.type.hasAssets
                ? context.assetURLs(service.secret, areForEverybody: plan.type.isReadableByEverybody) : nil)
        try record.body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
    }

    func place(of record: LoggedRecord, id: Int64) -> String {
        LivePlace.text(plan.sort.map { record.value(of: $0.source) }, plan.sort, id: id)
    }

    /// The record of a change before and after it, where the condition decides whether it is in the result.
    func candidates(of change: FollowedChange) -> ChangeSides {
        guard change.logged.type == plan.type.id, isInZone(change) else { return [] }
        let visibility = ChangeVisibility(rights: context.rights)
        func isReadable(_ record: LoggedRecord?) -> Bool {
            record.map { visibility.mayRead($0, of: plan.type) } ?? false
        }
        return ChangeSides(
            [(isReadable(change.before), .before), (isReadable(change.after), .after)].compactMap {
                $0 ? $1 : nil
            })
    }

    /// The record of a change before and after it, where it is in the result.
    func results(
        of change: FollowedChange, _ verdict: ChangeVerdict
    ) -> (before: LoggedRecord?, after: LoggedRecord?) {
        let sides = candidates(of: change)
        return (
            sides.contains(.before) && verdict.before == true ? change.before : nil,
            sides.contains(.after) && verdict.after == true ? change.after : nil
        )
    }

    /// What a change means for the result; nil where it means nothing.
    ///
    /// Decided by the record before and after alone: a client that was away gets the same events later.
    func event(of change: FollowedChange, _ verdict: ChangeVerdict) throws -> (LiveEvent.Name, [UInt8])? {
        let (before, after) = results(of: change, verdict)
        let id = change.logged.record
        guard before != nil || after != nil else { return nil }
        let json = try ServiceOutput { writer in
            writer.beginObject()
            if let after {
                writer.key("record")
                try write(after, id: id, in: change.logged.zoneName, to: &writer)
            } else {
                writer.member("recordName", change.logged.name)
                if context.answersZones {
                    writer.key("zoneID")
                    writer.zoneDictionary(change.logged.zoneName, context)
                }
            }
            if let before { writer.member("previousPlace", place(of: before, id: id)) }
            writer.endObject()
        }.body
        return (after == nil ? .leave : before == nil ? .enter : .change, json)
    }
}
