import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/modify`: a list of operations, each by itself, or all or nothing where the zone can.
    ///
    /// - Parameter key: what names the request and its repetitions, which take effect once.
    func modify(
        _ request: RecordsModifyRequest, _ key: IdempotencyKey?, _ context: CallContext
    ) async throws -> ServiceOutput {
        try Self.check(request)
        guard context.rights.mayWriteAny(of: store.schema(of: context.tenant)) else {
            throw ServiceError.needsUser
        }
        let isAtomic = request.atomic && !(request.zone.isDefault)
        let environment = environment
        let secret = secret
        let quotas = quotas.applying(to: context)
        let effort = WriteEffort(records: request.operations.count)
        var distrusted: Set<String> = []
        while true {
            do {
                return try await store.write(effort) { [distrusted] store in
                    try store.foresee(request.foresight(context, key))
                    let scope = try ModifyScope(
                        request: request, context: context, store: store, environment: environment,
                        secret: secret, quotas: quotas, distrusted: distrusted)
                    var batch = ModifyBatch(scope)
                    guard let key else { return try batch.run(isAtomic: isAtomic) }
                    if let outcome = try key.outcome(in: store, now: context.now) {
                        return try batch.repetition(outcome)
                    }
                    batch.outcome = RequestOutcome()
                    let output = try batch.run(isAtomic: isAtomic)
                    if let outcome = batch.outcome { try key.keep(outcome, in: store, now: context.now) }
                    return output
                }
            } catch let failure as AtomicFailure {
                let output = failure.output(request, context)
                RequestRoom.current?.hold(output)
                return output
            } catch let broken as BrokenPromise {
                // With all that count on it, so a chain of references takes one more round. Each round finds a name that no
                // round before knew.
                distrusted.formUnion(broken.names)
            }
        }
    }

    private static func check(_ request: RecordsModifyRequest) throws(ServiceError) {
        guard request.operations.count <= Limits.operationsPerRequest else {
            throw .tooMany("operations", request.operations.count, Limits.operationsPerRequest)
        }
        var names: Set<String> = []
        for case let name? in request.operations.map(\.record.recordName) {
            guard names.insert(name).inserted else {
                throw ServiceError(
                    .badRequest, "The record '\(name.prefix(64))' is in more than one operation.",
                    remedy: "Combine the changes to a record in one operation.")
            }
        }
    }
}

extension RecordsModifyRequest {
    /// What the operations will ask for.
    func foresight(_ context: CallContext, _ key: IdempotencyKey?) -> Foresight {
        Foresight(
            database: context.database, zone: zone.zoneName,
            records: operations.compactMap(\.record.recordName),
            types: Set(operations.compactMap(\.record.recordType)),
            referrers: operations.contains { $0.type.isDelete }, key: key?.digest,
            bytes: context.requestBytes)
    }

    /// The zone of the request; some clients name it in the records only.
    var zone: ZoneID { zoneID ?? operations.lazy.compactMap(\.record.zoneID).first ?? .default }
}

/// The operations of one request at work inside one write.
struct ModifyBatch {
    let scope: ModifyScope
    private var position = 0
    /// The records that were saved, and those above some of them in a share's hierarchy.
    private var saved: Set<String> = []
    private var parents: Set<String> = []
    /// What becomes of the operations, where that is to be kept.
    var outcome: RequestOutcome?
    /// What the operations need and production lacks; nil until one of them lacks something.
    private var gaps: [SchemaGap]?

    init(_ scope: ModifyScope) { self.scope = scope }

    var request: RecordsModifyRequest { scope.request }
    var context: CallContext { scope.context }
    var store: any StoreWriter { scope.store }
    private var rights: AccessRights { scope.rights }
    private var budget: WriteBudget { scope.budget }

    /// Runs all operations.
    ///
    /// - Throws: ``AtomicFailure`` when the batch is atomic and one of them fails.
    mutating func run(isAtomic: Bool) throws -> ServiceOutput {
        let zone = try Zones.findForWriting(request.zone, context, store)
        let suffix = context.zoneSuffix(zone.name)
        var writer = JSONWriter(reserving: 1_024 * request.operations.count)
        var errors: [Int: ServiceError] = [:]
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for (position, operation) in request.operations.enumerated() {
            self.position = position
            do {
                try checkRoom(writer.bytes.count, isAtomic: isAtomic)
                try budget.check(isAtomic: isAtomic)
                try checkZone(of: operation.record)
                try operation.checkIsNoSharing()
                switch try apply(operation, in: zone) {
                case .saved(let name, let body, let isReadable):
                    try write(body, operation, suffix, isReadable: isReadable, to: &writer)
                    outcome?.add(.saved(name: operation.record.recordName == nil ? name : nil))
                case .deleted(let name):
                    writer.tombstone(name, type: nil, zone: zone.name, context)
                    outcome?.add(.deleted)
                }
            } catch {
                guard error is ServiceError || error is JSONError else { throw error }
                var failure = ServiceError(describing: error)
                if !failure.gaps.isEmpty { failure = try lacking(failure, in: zone) }
                errors[position] = failure
                outcome?.add(.failed(failure))
                writer.itemError(failure, recordName: operation.record.recordName, context)
                if isAtomic { throw AtomicFailure(errors: errors) }
            }
        }
        writer.endArray()
        writer.endObject()
        try retagParents(in: zone)
        let failed = errors.keys.compactMap { request.operations[$0].record.recordName }
        let broken = try scope.later.broken(among: failed) { try store.record(named: $0, in: zone.id) == nil }
        guard broken.isEmpty else { throw BrokenPromise(names: broken) }
        var output = ServiceOutput(
            body: writer.bytes, items: request.operations.count, failedItems: errors.count)
        output.note(errors, of: request)
        output.gaps = gaps ?? []
        return output
    }

    /// Refuses an operation before it does anything, where the answer has no room for its record any more.
    ///
    /// What a request sent may always come back. Stored fields that it did not send, and the service's records in
    /// conflicts, are as much as other answers carry: else a small request would make an answer of 200 MiB.
    private func checkRoom(_ written: Int, isAtomic: Bool) throws(ServiceError) {
        guard written > Limits.answerBytes + context.requestBytes else { return }
        guard isAtomic else { throw .answerIsFull }
        throw ServiceError(
            .badRequest, "The batch's answer takes more than \(Limits.answerBytes) bytes.",
            remedy: "Send fewer operations in one batch, or name the fields you need in 'desiredKeys'.")
    }

    /// Gives the records above those that were saved new change tags, unless they were saved themselves.
    ///
    /// So does the original: saving a child changes its parent's tag, and nothing above it (pointfreeco/sqlite-data,
    /// pull request 363, from tests against iCloud). An app that keeps the old tag would pass here and meet a conflict
    /// there. Unlike there, our change feed has it, since the tag is the position in the feed.
    private func retagParents(in zone: ZoneRow) throws {
        for name in parents.subtracting(saved).sorted() {
            guard let row = try store.record(named: name, in: zone.id) else { continue }
            let sequence = try store.nextSequence()
            // Children of large records are as many as those: it is the request that goes, not one of its operations.
            try budget.check(isAtomic: true)
            budget.take(row.bodyBytes)
            let body = try RecordBody.retagged(row.body, ChangeTag.text(sequence))
            try store.retag(row, in: zone, sequence: sequence, body: body)
        }
    }

    /// The error of a record that production lacks something for, naming what the whole request needs: so one
    /// answer tells all that has to be deployed.
    private mutating func lacking(_ error: ServiceError, in zone: ZoneRow) throws -> ServiceError {
        let gaps = try gaps ?? RequestGaps.find(in: request.operations, zone: zone, context.tenant, store)
        self.gaps = gaps
        guard !gaps.isEmpty else { return error }
        return try RequestGaps.error(gaps, tenant: context.tenant, reader: store)
    }

    private func checkZone(of record: RecordInput) throws(ServiceError) {
        guard let zone = record.zoneID,
            zone.zoneName != request.zone.zoneName || !Zones.isOwn(zone, context)
        else { return }
        throw ServiceError(
            .badRequest, "The record names another zone than the request.",
            remedy: "Send one request for each zone.")
    }

    /// Writes a record that was saved: to somebody who may not read it, its name, type, tag and stamps.
    func write(
        _ body: [UInt8], _ operation: RecordOperation, _ suffix: [UInt8], isReadable: Bool,
        to writer: inout JSONWriter
    ) throws {
        let selection = RecordBody.Selection(
            desiredKeys: isReadable ? operation.desiredKeys ?? request.desiredKeys : [],
            numbersAsStrings: operation.numbersAsStrings ?? request.numbersAsStrings, suffix: suffix,
            assetURL: scope.assetURL)
        try body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
    }

    /// What an operation came to.
    enum Outcome {
        case saved(name: String, body: [UInt8], isReadable: Bool)
        case deleted(String)
    }

    /// Applies one operation (Documentation/Protocol.md, 'Operations').
    ///
    /// Everything that can fail is checked before anything is written, so a failed operation leaves no trace.
    private mutating func apply(_ operation: RecordOperation, in zone: ZoneRow) throws -> Outcome {
        var operation = operation
        let input = operation.record
        let user = try input.recordName.flatMap { name in
            try UserRecords(context: context, zone: request.zone, reader: store).unchanged(named: name)
        }
        let name = try user?.name ?? recordName(of: operation)
        // A name that the service has just chosen is nobody's.
        let stored = try input.recordName == nil ? nil : store.record(named: name, in: zone.id)
        let existing = stored ?? user
        if user != nil {
            guard !operation.type.isDelete else {
                throw ServiceError(.accessDenied, "The record of a user cannot be deleted.")
            }
            try UserRecords.checkType(input.recordType, isUser: true)
            operation.record.recordType = UserRecords.typeName
        } else if stored == nil, !operation.type.isDelete, operation.type != .restore {
            try UserRecords.checkType(input.recordType, isUser: false)
        }
        if user == nil, operation.type == .create { try checkCreation(operation.record.recordType) }
        if let existing {
            let type = try recordType(of: existing)
            let isReadable = rights.may(.read, recordOf: type, madeBy: existing.createdBy)
            guard operation.type != .create else {
                // The native service gives this text with the code of a conflict ('Server Record Changed'
                // 14/2004, as "client oplock error updating record"), and clients' tests against the live web
                // service expect CONFLICT, though the reference describes EXISTS.
                var error = ServiceError(
                    .conflict, "record to insert already exists",
                    remedy: "Update the record in 'serverRecord' with its change tag, or choose another name."
                )
                if isReadable { error.serverRecord = try asSent(existing, in: zone) }
                throw error
            }
            guard rights.may(.write, recordOf: type, madeBy: existing.createdBy) else {
                if !isReadable, operation.type == .restore { throw ServiceError.versionNotFound }
                if !isReadable, let outcome = try missing(name, operation) { return outcome }
                throw rights.refusal(.write, of: type)
            }
            if operation.type.checksTag || operation.type == .restore && input.recordChangeTag != nil {
                try checkTag(of: input, against: existing, isReadable: isReadable, in: zone)
            }
        } else if let outcome = try missing(name, operation) {
            return outcome
        }
        if operation.type.isDelete, let existing {
            let deletion = Deletion(
                zone: zone, store: store, rights: rights, schema: try store.schema(of: context.tenant),
                keeper: VersionKeeper(store: store, context: context, quotas: scope.quotas), budget: budget)
            try deletion.delete(existing)
            return .deleted(name)
        }
        var save = Save(
            scope: scope, position: position, zone: zone, name: name, existing: stored, unchangedUser: user)
        if operation.type == .restore {
            save.version = try version(for: operation, named: name, over: stored, in: zone)
            operation.record.recordType = nil
        }
        let body = try save.run(operation)
        saved.insert(name)
        if let parent = save.parent { parents.insert(parent) }
        let isReadable = try scope.isReadable(name, in: zone, user)
        return .saved(name: name, body: body, isReadable: isReadable)
    }

    /// What becomes of an operation on a record that is not there, or that the caller can neither read nor change: both
    /// get the same answer, so that nobody learns which it is.
    ///
    /// - Returns: nil where the operation makes the record.
    private func missing(_ name: String, _ operation: RecordOperation) throws -> Outcome? {
        if operation.type == .forceDelete { return .deleted(name) }
        // Which rights it needs, the version says.
        if operation.type == .restore { return nil }
        guard !operation.type.checksTag else {
            throw ServiceError(
                .notFound,
                operation.record.recordChangeTag == nil
                    ? "Record not found" : "recordChangeTag specified, but record not found")
        }
        try checkCreation(operation.record.recordType)
        return nil
    }

    /// - Throws: where the caller may make no records of a type; one that is yet to come has the default grants.
    private func checkCreation(_ typeName: String?) throws {
        guard !rights.isUnlimited, let typeName else { return }
        let type = try store.schema(of: context.tenant).types[typeName] ?? RecordType(name: typeName, id: 0)
        guard rights.mayCreate(type) else { throw rights.refusal(.create, of: type) }
    }

    /// The version that a record is to be given the values of.
    private func version(
        for operation: RecordOperation, named name: String, over stored: RecordRow?, in zone: ZoneRow
    ) throws -> RecordVersion {
        let schema = try store.schema(of: context.tenant)
        guard let sequence = operation.versionTag.flatMap(ChangeTag.sequence),
            let version = try store.version(sequence, ofRecordNamed: name, in: zone.id),
            try VersionRights(rights: rights, schema: schema).mayRead(version, now: stored)
        else { throw ServiceError.versionNotFound }
        guard stored == nil else { return version }
        // Who may read what was deleted may change it, too.
        try checkCreation(schema.type(numbered: version.type)?.name)
        return version
    }

    /// The type of a record that is there; that of users for one that is not stored yet.
    private func recordType(of row: RecordRow) throws -> RecordType {
        let schema = try store.schema(of: context.tenant)
        return schema.type(numbered: row.type) ?? schema.users
    }

    private func recordName(of operation: RecordOperation) throws(ServiceError) -> String {
        guard let name = operation.record.recordName else {
            guard !operation.type.isDelete, !operation.type.checksTag, operation.type != .restore else {
                throw ServiceError(.badRequest, "'recordName' is missing.")
            }
            // Names of ours grow with time, which keeps the end of the directory the only place written to.
            return TimeOrderedName.make(now: scope.environment.now(), random: scope.environment.random(10))
        }
        try Names.checkRecordName(name)
        return name
    }

    func asSent(_ row: RecordRow, in zone: ZoneRow) throws -> [UInt8] {
        let selection = RecordBody.Selection(
            suffix: context.zoneSuffix(zone.name), assetURL: scope.assetURL)
        var writer = JSONWriter(reserving: row.body.count + 256)
        try row.body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
        return writer.bytes
    }

    private func checkTag(
        of input: RecordInput, against existing: RecordRow, isReadable: Bool, in zone: ZoneRow
    ) throws {
        guard let tag = input.recordChangeTag else {
            throw ServiceError(
                .badRequest, "The operation needs the record's 'recordChangeTag'.",
                remedy: "Send the tag that came with the record, or use the force… operation.")
        }
        guard tag == ChangeTag.text(existing.sequence) else {
            var error = ServiceError(
                .conflict, "client oplock error updating record",
                remedy: "Merge with the record in 'serverRecord' and send its change tag.")
            if isReadable { error.serverRecord = try asSent(existing, in: zone) }
            throw error
        }
    }
}
