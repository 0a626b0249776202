import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/versions`: the states that a record had, the newest first, or the last ones of a type's deleted records
    /// (Documentation/Protocol.md, 'Versions').
    func versions(_ request: RecordsVersionsRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard context.scope != .shared else {
            throw ServiceError(
                .accessDenied, "What records were before is for the owner of their zone to see.",
                remedy: "Ask in the private database of the owner.")
        }
        let limit = try Self.limit(request.resultsLimit ?? Self.versionsPerAnswer)
        var before: Int64?
        if let marker = request.continuationMarker {
            guard let number = ChangeTag.sequence(marker) else {
                throw ServiceError(
                    .badRequest, "'continuationMarker' is not one of this endpoint.",
                    remedy: "Send the marker of the previous answer, or none.")
            }
            before = number
        }
        let schema = store.schema(of: context.tenant)
        let assetURL = schema.hasAssets ? context.assetURLs(secret, areForEverybody: false) : nil
        return try await store(for: context).readAnswer(.short) { [before] reader in
            let zoneID = request.zoneID ?? .default
            let zone = try Zones.find(zoneID, context, reader)
            let list = VersionList(
                reader: reader, rights: VersionRights(rights: context.rights, schema: schema),
                schema: schema, zone: zone, before: before, limit: limit, now: context.now)
            let page =
                try request.recordName.map { try list.states(ofRecordNamed: $0) }
                ?? list.deleted(ofTypeNamed: request.recordType ?? "")
            let selection = RecordBody.Selection(
                numbersAsStrings: request.numbersAsStrings, suffix: context.zoneSuffix(zoneID.zoneName),
                assetURL: assetURL)
            return try page.output(selection)
        }
    }

    /// How many versions an answer has where the request names no number.
    private static let versionsPerAnswer = 20

    /// Forgets the versions that are older than the setting of their type says; those of a type that keeps none any
    /// more, or that is gone, all.
    ///
    /// A write takes a slice of them, so that others' writes go on beside it.
    /// - Throws: `StorageError`; `CancellationError` between two slices.
    public func sweepVersions() async throws {
        let now = environment.now()
        var last: VersionGroup?
        while true {
            let groups = try await store.read(.short) { [last] in
                try $0.versionGroups(after: last, limit: Self.groupsPerRead)
            }
            guard let end = groups.last else {
                let tenants = try await store.read(.short) { try $0.tenants() }
                return try await RemovedParts.sweep(tenants, now: now, store: store)
            }
            last = end
            let schemas = try await store.read(.short) { reader in
                try reader.tenants().map { try reader.schema(of: $0) }
            }
            for group in groups {
                let type = schemas.lazy.compactMap { $0.type(numbered: group.type) }.first
                let time = type?.keeping.map { now - $0.milliseconds } ?? .max
                repeat {
                    try Task.checkCancellation()
                } while try await !store.write({
                    try $0.forgetVersions(of: group, endedBefore: time)
                })
            }
        }
    }

    private static let groupsPerRead = 500
}

/// Some versions that a caller may see.
private struct VersionList {
    let reader: any StoreReader
    let rights: VersionRights
    let schema: Schema
    let zone: ZoneRow?
    let before: Int64?
    let limit: Int
    let now: Int64

    func states(ofRecordNamed name: String) throws -> VersionPage {
        var page = VersionPage()
        guard let zone else { throw ServiceError.versionNotFound }
        let record = try reader.record(named: name, in: zone.id)
        var states: [VersionPage.State] = []
        if before == nil, let record, try mayRead(record) { states.append(VersionPage.State(record)) }
        var place = before
        var bytes = 0
        // One more than wanted: what it lacks tells what the one after it brought.
        while states.count <= limit, bytes < Limits.answerBytes {
            let kept = try reader.versions(ofRecordNamed: name, in: zone.id, before: place, limit: limit + 1)
            guard let last = kept.last else { break }
            place = last.id
            for version in kept where try rights.mayRead(version, now: record) {
                states.append(VersionPage.State(version))
                bytes += version.body.count
            }
        }
        guard !states.isEmpty else {
            if before != nil { return page }
            throw ServiceError.versionNotFound
        }
        page.states = Array(states.prefix(limit))
        page.older = states.dropFirst(limit).first
        // Where bodies are long there are fewer than asked for.
        let isCut = states.count > limit || bytes >= Limits.answerBytes
        page.marker = isCut ? page.states.last?.place : nil
        return page
    }

    private func mayRead(_ record: RecordRow) throws -> Bool {
        if rights.rights.isUnlimited { return true }
        return rights.rights.may(
            .read, RecordOrigin(type: record.type, createdBy: record.createdBy), in: schema)
    }

    func deleted(ofTypeNamed typeName: String) throws -> VersionPage {
        var page = VersionPage()
        guard let type = schema.types[typeName], !type.isHidden else {
            throw ServiceError(.notFound, "did not find required record type")
        }
        guard rights.rights.reach(of: .read, in: type) != .none,
            rights.rights.reach(of: .write, in: type) != .none
        else {
            throw rights.rights.refusal(.write, of: type)
        }
        // What the setting does not keep any more is gone, though a sweep has yet to remove it.
        guard let zone, let keeping = type.keeping else { return page }
        let kept = try reader.deletedVersions(
            ofType: type.id, in: zone.id, before: before, limit: limit)
        let oldest = now - keeping.milliseconds
        page.states = try kept.filter { try $0.endedAt >= oldest && rights.mayRead($0, now: nil) }
            .map(VersionPage.State.init)
        if let last = kept.last,
            try !reader.deletedVersions(ofType: type.id, in: zone.id, before: last.id, limit: 1).isEmpty
        {
            page.marker = ChangeTag.text(last.id)
        }
        return page
    }
}

/// What an answer of `records/versions` has.
private struct VersionPage {
    struct State {
        /// The number of the version; nil for the record as it is.
        var id: Int64?
        var record: Int64
        var isFirst: Bool
        var body: [UInt8]
        var end: (key: StaticString, stamp: RecordStamp)?

        /// Where the answer after it goes on.
        var place: String { ChangeTag.text(id ?? .max) }

        init(_ version: RecordVersion) {
            id = version.id
            record = version.record
            isFirst = version.isFirst
            body = version.body
            end = (
                version.end == .replaced ? "replaced" : "deleted",
                RecordStamp(
                    timestamp: version.endedAt, userRecordName: version.endedBy,
                    deviceID: RecordStamp.webDeviceID)
            )
        }

        init(_ row: RecordRow) {
            record = row.id
            isFirst = row.isFirst
            body = row.body
        }
    }

    /// The newest first.
    var states: [State] = []
    /// The one before them.
    var older: State?
    var marker: String?

    func output(_ selection: RecordBody.Selection) throws -> ServiceOutput {
        var budget = AnswerBudget()
        var written = 0
        var writer = JSONWriter(reserving: 4_096)
        writer.beginObject()
        writer.key("versions")
        writer.beginArray()
        for (index, state) in states.enumerated() {
            let before = index + 1 < states.count ? states[index + 1] : older
            let isWritten = try budget.write(to: &writer) { writer in
                writer.beginObject()
                writer.key("record")
                try state.body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
                if let end = state.end {
                    writer.key(end.key)
                    end.stamp.write(to: &writer)
                }
                writer.member("changedFields", try Self.changes(of: state, since: before))
                writer.endObject()
            }
            guard isWritten else { break }
            written += 1
        }
        writer.endArray()
        let end = written < states.count ? states[..<written].last?.place : marker
        writer.member("continuationMarker", end)
        budget.writeReason(to: &writer)
        writer.endObject()
        return ServiceOutput(body: writer.bytes, items: written)
    }

    /// The fields that a state brought, in their order, then those that it took away; nil where the state before it is
    /// not kept.
    private static func changes(of state: State, since before: State?) throws -> [String]? {
        let fields = try RecordBody.fields(of: state.body)
        if state.isFirst { return fields.map(\.name) }
        guard let before, before.record == state.record else { return nil }
        let old = try RecordBody.fields(of: before.body)
        let values = Dictionary(old.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let names = Set(fields.map(\.name))
        return fields.filter { values[$0.name]?.isExactly($0.value) != true }.map(\.name)
            + old.map(\.name).filter { !names.contains($0) }
    }
}

extension FieldValue {
    /// Whether the values are the same, texts by their bytes: another form of a letter is a change that somebody made.
    fileprivate func isExactly(_ other: FieldValue) -> Bool {
        switch (self, other) {
        case (.string(let mine), .string(let theirs)): mine.isExactly(theirs)
        case (.list(let mine, let kind), .list(let theirs, let otherKind)):
            kind == otherKind && mine.elementsEqual(theirs) { $0.isExactly($1) }
        default: self == other
        }
    }
}
