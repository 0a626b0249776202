import RecordModel
import RecordStorage
import RecordWire

/// The operations of one request at work inside one write.
///
/// First all saves, in their order, then all deletions as one set: so the order in which a request has them decides nothing
/// (Documentation/Protocol.md, 'Operations').
struct ModifyBatch {
    let scope: ModifyScope
    private let isAtomic: Bool
    /// The records that were saved, and those above some of them in a share's hierarchy.
    var saved: Set<ExactText> = []
    private var parents: Set<ExactText> = []
    /// What became of the operations, by their positions.
    var outcomes: [Int: IdempotentResult.Item] = [:]
    private(set) var errors: [Int: ServiceError] = [:]
    var items: ItemsInOrder
    /// What the operations need and production lacks; nil until one of them lacks something.
    private var gaps: [SchemaGap]?

    init(_ scope: ModifyScope, isAtomic: Bool) {
        self.scope = scope
        self.isAtomic = isAtomic
        items = ItemsInOrder(of: "records", count: scope.request.operations.count)
    }

    var request: RecordsModifyRequest { scope.request }
    var context: CallContext { scope.context }
    var store: any StoreWriter { scope.store }
    private var rights: AccessRights { scope.rights }
    private var budget: WriteBudget { scope.budget }

    /// Runs all operations.
    ///
    /// - Throws: ``AtomicFailure`` when the batch is atomic and one of them fails, ``BrokenPromise`` where it has to run again.
    mutating func run() throws -> ServiceOutput {
        let zone = scope.zone
        let suffix = context.zoneSuffix(zone.name)
        let order = try SaveOrder(request, scope)
        for position in order.records {
            let operation = request.operations[position]
            try attempt(position, in: zone) { batch in
                try batch.checkShareName(of: position, order)
                try batch.save(operation, at: position, in: zone, suffix)
            }
        }
        for position in order.shares {
            let operation = request.operations[position]
            try attempt(position, in: zone) { try $0.saveShare(operation, at: position, in: zone, suffix) }
        }
        try delete(in: zone)
        try retagParents(in: zone)
        try scope.shares.finish()
        let failed = errors.keys.compactMap { request.operations[$0].record.recordName }
        try scope.promises.check(failed: failed, in: zone, scope)
        let (context, secret) = (context, scope.secret)
        let now = context.wantsSyncToken ? try store.zone(numbered: zone.id) : nil
        var output = ServiceOutput(
            body: items.answer { $0.currentSyncToken(of: now, context, secret: secret) },
            items: request.operations.count, failedItems: errors.count)
        output.note(errors, of: request)
        output.gaps = gaps ?? []
        output.invitations = try scope.shares.invitations(context)
        return output
    }

    /// What became of the operations, to be kept.
    var outcome: IdempotentResult {
        var outcome = IdempotentResult()
        for position in request.operations.indices {
            if let item = outcomes[position] { outcome.add(item) }
        }
        assert(outcome.items.count == request.operations.count)
        return outcome
    }

    /// Does what one operation asks for, and notes what is wrong with it.
    private mutating func attempt(
        _ position: Int, in zone: ZoneRow, _ work: (inout ModifyBatch) throws -> Void
    ) throws {
        do {
            try checkRoom()
            try budget.check(isAtomic: isAtomic)
            try checkZone(of: request.operations[position].record)
            try work(&self)
        } catch {
            guard error is ServiceError || error is JSONError else { throw error }
            var failure = ServiceError(describing: error)
            if !failure.gaps.isEmpty { failure = try lacking(failure, in: zone) }
            try fail(position, failure)
        }
    }

    private mutating func fail(_ position: Int, _ error: ServiceError) throws(AtomicFailure) {
        errors[position] = error
        outcomes[position] = .failed(error)
        let (name, context) = (request.operations[position].record.recordName, context)
        items.write(at: position) { $0.itemError(error, recordName: name, context) }
        if isAtomic { throw AtomicFailure(errors: errors) }
    }

    /// Deletes what the request's deletions name, and what goes with it.
    private mutating func delete(in zone: ZoneRow) throws {
        let positions = request.operations.indices.filter { request.operations[$0].type.isDelete }
        guard !positions.isEmpty else { return }
        let schema = try store.schema(of: context.tenant)
        var deletions = Deletions(
            zone: zone, store: store, rights: rights, schema: schema,
            keeper: VersionKeeper(store: store, context: context, quotas: scope.quotas), budget: budget,
            members: scope.members, shares: scope.shares)
        for position in positions {
            let operation = request.operations[position]
            try attempt(position, in: zone) { batch in
                let name = operation.record.recordName ?? ""
                if try batch.leave(name) { return }
                let target = try batch.target(of: operation, in: zone)
                if let row = target.stored { try deletions.add(row, for: position) }
            }
        }
        try scope.promises.note({ try deletions.run() }, in: zone, store)
        for position in positions where errors[position] == nil {
            if let error = deletions.refusals[position] {
                try fail(position, error)
                continue
            }
            let (name, context) = (request.operations[position].record.recordName ?? "", context)
            items.write(at: position) { $0.tombstone(name, type: nil, zone: zone.name, context) }
            outcomes[position] = .deleted
        }
    }

    /// Refuses an operation before it does anything, where the answer has no room for its record any more.
    ///
    /// What a request sent may always come back. Stored fields that it did not send, and the service's records in
    /// conflicts, are as much as other answers carry: else a small request would make an answer of 200 MiB.
    private func checkRoom() throws(ServiceError) {
        guard items.bytes > Limits.answerBytes + context.requestBytes else { return }
        guard isAtomic else { throw .answerIsFull }
        throw ServiceError(
            .badRequest, "The batch's answer takes more than \(Limits.answerBytes) bytes.",
            remedy: "Send fewer operations in one batch, or name the fields you need in 'desiredKeys'.")
    }

    /// Gives the records above those that were saved new change tags, unless they were saved themselves.
    ///
    /// So does the original: saving a child changes its parent's tag, and nothing above it (pointfreeco/sqlite-data,
    /// pull request 363, from tests against iCloud). An app that keeps the old tag would pass here and meet a conflict
    /// there. Unlike there, our change feed has it, since the tag is the position in the feed. A request that does not name
    /// the parent leaves it alone (Documentation/Protocol.md, 'Change tags').
    private func retagParents(in zone: ZoneRow) throws {
        for name in parents.subtracting(saved).sorted() {
            guard let row = try store.record(named: name.text, in: zone.id) else { continue }
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

    /// The record that an operation is about.
    struct Target {
        let name: String
        /// The record that is there; nil where the operation has none to change or delete.
        var stored: RecordRow?
        /// The record of a user that nobody changed yet.
        var user: RecordRow?
    }

    /// Saves what one operation has, and answers it.
    private mutating func save(
        _ operation: RecordOperation, at position: Int, in zone: ZoneRow, _ suffix: [UInt8]
    ) throws {
        var operation = operation
        let target = try target(of: operation, in: zone)
        if target.user != nil { operation.record.recordType = UserRecords.typeName }
        var save = Save(
            scope: scope, position: position, zone: zone, name: target.name, existing: target.stored,
            unchangedUser: target.user)
        if operation.type == .restore {
            save.version = try version(for: operation, named: target.name, over: target.stored, in: zone)
            operation.record.recordType = nil
        }
        let former = try scope.shares.share(before: target.stored)
        let body = try save.run(operation)
        try scope.shares.noteSave(
            target.name, of: save.savedType, replacing: target.stored, from: former, isMoved: save.isMoved)
        saved.insert(ExactText(target.name))
        let namesParent = operation.record.parent != nil || operation.type == .restore
        if namesParent, let parent = save.parent { parents.insert(ExactText(parent)) }
        let isReadable = try scope.isReadable(target.name, in: zone, target.user)
        let (scope, sent) = (scope, operation)
        try items.write(at: position) { try scope.write(body, sent, suffix, isReadable: isReadable, to: &$0) }
        outcomes[position] = .saved(name: operation.record.recordName == nil ? target.name : nil)
    }

    /// Finds the record of an operation, and checks that the caller may do with it what the operation says
    /// (Documentation/Protocol.md, 'Operations').
    ///
    /// Everything that can fail is checked before anything is written, so a failed operation leaves no trace.
    func target(of operation: RecordOperation, in zone: ZoneRow) throws -> Target {
        let input = operation.record
        let user = try input.recordName.flatMap { name in
            try UserRecords(context: context, zone: request.zone, reader: store).unchanged(named: name)
        }
        let name = try user?.name ?? recordName(of: operation)
        // A name that the service has just chosen is nobody's.
        let stored = try input.recordName == nil ? nil : store.record(named: name, in: zone.id)
        let target = Target(name: name, stored: stored, user: user)
        if user != nil {
            guard !operation.type.isDelete else {
                throw ServiceError(.accessDenied, "The record of a user cannot be deleted.")
            }
            try UserRecords.checkType(input.recordType, isUser: true)
        } else if stored == nil, !operation.type.isDelete, operation.type != .restore {
            try UserRecords.checkType(input.recordType, isUser: false)
        }
        if user == nil, operation.type == .create { try checkCreation(input.recordType) }
        guard let existing = stored ?? user else {
            try checkAbsence(operation)
            return target
        }
        let type = try recordType(of: existing)
        let members = scope.members
        let isReadable = try rights.may(
            .read, recordNamed: name, of: type, madeBy: existing.createdBy, members)
        guard operation.type != .create else {
            // The native service gives this text with the code of a conflict ('Server Record Changed'
            // 14/2004, as "client oplock error updating record"), and clients' tests against the live web
            // service expect CONFLICT, though the reference describes EXISTS.
            var error = ServiceError(
                .conflict, "record to insert already exists",
                remedy: "Update the record in 'serverRecord' with its change tag, or choose another name.")
            if isReadable { error.serverRecord = try asSent(existing, in: zone) }
            throw error
        }
        guard try rights.may(.write, recordNamed: name, of: type, madeBy: existing.createdBy, members) else {
            if !isReadable, operation.type == .restore { throw ServiceError.versionNotFound }
            if !isReadable {
                try checkAbsence(operation)
                // Only a deletion of what is not there succeeds without doing anything.
                if operation.type == .forceDelete { return Target(name: name) }
            }
            throw members == nil ? rights.refusal(.write, of: type) : .readersOnly(isReadable: isReadable)
        }
        try checkIsChangeable(existing, operation)
        if operation.type.checksTag || operation.type == .restore && input.recordChangeTag != nil {
            try checkTag(of: input, against: existing, isReadable: isReadable, in: zone)
        }
        return target
    }

    /// Refuses an operation on a record that is not there, or that the caller can neither read nor change: both
    /// get the same answer, so that nobody learns which it is.
    private func checkAbsence(_ operation: RecordOperation) throws {
        // Which rights a restored record needs, the version says.
        if operation.type == .forceDelete || operation.type == .restore { return }
        guard !operation.type.checksTag else {
            throw ServiceError(
                .notFound,
                operation.record.recordChangeTag == nil
                    ? "Record not found" : "recordChangeTag specified, but record not found")
        }
        try checkCreation(operation.record.recordType)
    }

    /// - Throws: where the caller may make no records of a type; one that is yet to come has the default grants.
    private func checkCreation(_ typeName: String?) throws {
        guard !rights.isUnlimited, !rights.areShared, let typeName else { return }
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
        let share = try scope.answers.suffix(ofRecordNamed: row.name) ?? []
        let selection = RecordBody.Selection(
            suffix: context.zoneSuffix(zone.name) + share, assetURL: scope.assetURL)
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
