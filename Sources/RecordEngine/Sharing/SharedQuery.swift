import RecordModel
import RecordStorage
import RecordWire

/// A query whose rows are looked at one by one: in the shared database, whether they are shared with the caller, and of shares
/// everywhere, since their answers say more than their records.
///
/// A page looks at a bounded number of rows, so it may be short, or empty, with a marker.
struct SharedQuery {
    private let plan: QueryPlan
    private let context: CallContext
    private let reader: any StoreReader
    private let secret: ServiceSecret
    /// The zones that are looked through, with what the caller may see of each.
    private let zones: [(zone: ZoneRow, context: CallContext, answers: ShareAnswers)]
    private let answers: [Int64: ShareAnswers]

    init(_ plan: QueryPlan, _ context: CallContext, _ reader: any StoreReader, _ secret: ServiceSecret) throws
    {
        self.plan = plan
        self.context = context
        self.reader = reader
        self.secret = secret
        var entered: [(ZoneRow, CallContext)] = []
        if context.scope != .shared {
            entered = try plan.zones(context, reader).map { ($0, context) }
        } else if plan.isZoneWide {
            guard let user = context.participant else { throw ServiceError.needsUser }
            entered = try SharedZones.all(of: user, context, reader).filter(\.isOpen).map {
                ($0.zone, context.entering($0, as: user))
            }
        } else {
            let context = try context.entering(plan.request.zoneID ?? .default, reader)
            if let access = context.access { entered = [(access.zone, context)] }
        }
        zones = try entered.map { zone, context in
            (zone, context, try ShareAnswers(context, zone, reader, secret))
        }
        answers = Dictionary(zones.map { ($0.zone.id, $0.answers) }, uniquingKeysWith: { first, _ in first })
    }

    private struct Row {
        let body: [UInt8]
        let zone: Int64
        let id: Int64
    }

    /// One page, and the marker of the next.
    func page(after: ScanCursor?, limit: Int) throws -> ServiceOutput {
        try page(after: after, limit: limit) { _ in [] }.output
    }

    /// One page with the marker of the next, and whether there may be one.
    ///
    /// - Parameter more: what a row's record says besides, as members that follow its own.
    func page(
        after: ScanCursor?, limit: Int, more: (borrowing ScanRow) throws -> [UInt8]
    ) throws -> (output: ServiceOutput, hasMore: Bool) {
        var page = QueryPage(
            plan.request, suffixes: zones.map { ($0.zone.id, $0.context.zoneSuffix($0.zone.name)) },
            limit: limit, assetURL: plan.assetURL(context, secret))
        var scan = plan.scan(zones: zones.map(\.zone.id), after: after, limit: limit)
        var first: ScanOutcome?
        var last = ScanOutcome(next: nil, plan: .index)
        var looked = 0
        var isFull = zones.isEmpty
        while !isFull {
            scan.limit = limit - page.count
            let (rows, outcome) = try rows(of: scan)
            looked += rows.count
            last = outcome
            for (position, row) in rows.enumerated() where try !isFull && isVisible(row) {
                guard try add(row, more, to: &page) else {
                    last = try end(of: scan, after: position)
                    isFull = true
                    break
                }
            }
            if first == nil { first = outcome }
            scan.after = last.next
            isFull = isFull || page.count >= limit || last.next == nil || looked >= Limits.sharedRowsPerAnswer
        }
        last.back = first?.back
        let identity = plan.identity
        let markers = QueryPage.Markers(scan, last, isAsked: plan.request.backward != nil)
        let output = page.output(last.plan) { writer in
            for case (let name, let place?) in [
                ("continuationMarker", markers.next), ("previousMarker", markers.previous),
            ] as [(StaticString, ScanCursor?)] {
                writer.member(name, ContinuationMarker.make(place, for: identity, secret: secret))
            }
        }
        return (output, markers.next != nil)
    }

    /// How many rows are shared with the caller, as an answer.
    func count() throws -> ServiceOutput {
        let count = try number()
        return ServiceOutput { writer in
            writer.beginObject()
            writer.member("count", count)
            writer.endObject()
        }
    }

    /// How many rows are shared with the caller.
    func number() throws -> Int {
        let scan = plan.scan(zones: zones.map(\.zone.id), after: nil, limit: .max)
        var count = 0
        if !zones.isEmpty, zones.allSatisfy({ $0.answers.members?.seesAll ?? true }) {
            count = try reader.count(scan)
        } else if !zones.isEmpty {
            var part = scan
            part.limit = Limits.recordsPerAnswer
            repeat {
                let (rows, outcome) = try rows(of: part)
                count += try rows.count(where: isVisible)
                part.after = outcome.next
            } while part.after != nil
        }
        return count
    }

    /// Some rows: what is above them can be looked up only after the walk.
    private func rows(of scan: RecordScan) throws -> (rows: [Row], outcome: ScanOutcome) {
        var rows: [Row] = []
        do {
            let outcome = try reader.scan(scan) { row in
                rows.append(Row(body: Array(row.body), zone: row.zone, id: row.id))
                return true
            }
            return (rows, outcome)
        } catch let error as StorageError where error.isUnknownCursor {
            throw ContinuationMarker.unknown
        }
    }

    /// Where a walk goes on after some of its rows.
    private func end(of scan: RecordScan, after count: Int) throws -> ScanOutcome {
        guard count > 0 else { return ScanOutcome(next: scan.after, plan: .index) }
        var part = scan
        part.limit = count
        return try reader.scan(part) { _ in true }
    }

    private func isVisible(_ row: Row) throws -> Bool {
        guard let members = answers[row.zone]?.members else { return true }
        return try row.body.withUnsafeBytes { try members.sees($0) }
    }

    private func add(
        _ row: Row, _ more: (borrowing ScanRow) throws -> [UInt8], to page: inout QueryPage
    ) throws -> Bool {
        try row.body.withUnsafeBytes { body in
            let share = try answers[row.zone]?.suffix(of: body)
            let found = ScanRow(body: body, zone: row.zone, id: row.id)
            let besides = try (share ?? []) + more(found)
            return try page.add(found, share: besides.isEmpty ? nil : besides)
        }
    }
}
