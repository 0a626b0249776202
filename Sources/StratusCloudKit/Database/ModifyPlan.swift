internal import Foundation
internal import RecordModel
internal import RecordWire

/// What to save and delete, as requests that the service takes: one zone and a bounded number of operations
/// each. A value without I/O; making it finds everything that can be refused without asking the service.
///
/// Where records have files that the service lacks, ``files`` says which; the requests are good once
/// ``resolved(_:)`` knows what the service made of them.
struct ModifyPlan: Sendable {
    /// One record to save or delete.
    enum Item: Sendable {
        case save(CKRecord, Sent)
        case delete(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .save(let record, _): record.recordID
            case .delete(let recordID): recordID
            }
        }
    }

    /// What a request says of a record that it saves: what was set meanwhile stays changed after it.
    struct Sent: Sendable {
        /// The values; nil for a field that was removed.
        var fields: [CKRecord.FieldKey: RecordValue?] = [:]
        /// The parent that the record had then.
        var parent: CKRecord.ID?
        /// What is said of the share that the record is; nil for other records.
        var share: CKShare.Sent?
    }

    /// One request.
    struct Batch: Sendable {
        let items: [Item]
        /// With an idempotency key: however often it is sent, it takes effect once.
        let body: [UInt8]
    }

    /// The requests in their order.
    private(set) var batches: [Batch] = []
    /// The items that are not sent, and why.
    private(set) var refused: [(item: Item, error: CKError)] = []
    /// The files that have to come to the service first.
    let files: [RecordFiles]

    /// The most operations of a request that could as well be several: what CloudKit's web interface documents, and
    /// what servers of the first versions take.
    private static let divisibleBatchSize = 200

    private let saves: [Save]
    private let deletions: [CKRecord.ID]
    private let isAtomic: Bool
    private let scope: CKDatabase.Scope

    struct Entry {
        let item: Item
        let operation: RecordOperation
        let refusal: CKError?
        /// The root record of the share that the record is, where that is new.
        var rootID: CKRecord.ID?
    }

    /// A record to save, as it was when the plan was made.
    struct Save: Sendable {
        let record: CKRecord
        let state: CKRecord.State
        let type: OperationType
        let keys: [CKRecord.FieldKey]
        /// What is said of the share that the record is; nil for other records.
        let share: CKShare.Sent?

        var values: [(key: CKRecord.FieldKey, value: RecordValue)] {
            keys.compactMap { key in state.values[key].map { (key, $0) } }
        }
    }

    /// Plans a modification.
    ///
    /// - Throws: `CKError.invalidArguments` when a record is named twice, `CKError.limitExceeded` when an atomic
    ///   batch would have to be split, which would not be atomic.
    init(
        saving records: [CKRecord], deleting recordIDs: [CKRecord.ID],
        policy: CKModifyRecordsOperation.RecordSavePolicy, isAtomic: Bool, in database: CKDatabase
    ) throws(CKError) {
        let saves = records.map { record in
            let state = record.snapshot
            let (type, keys) = Self.operation(state, policy)
            let share = (record as? CKShare)?.toSend(isNew: state.changeTag == nil)
            return Save(record: record, state: state, type: type, keys: keys, share: share)
        }
        let files = saves.compactMap { save in
            RecordFiles(of: save.record, values: save.values) {
                database.origin(of: $0, in: save.record.recordID)
            }
        }
        try self.init(
            saves, recordIDs, isAtomic: isAtomic, scope: database.databaseScope, files: files,
            results: AssetResults())
    }

    /// Whether a record is saved or deleted together with all others of its zone, or none of them. The default zone has
    /// no such batches.
    func isAtomic(_ recordID: CKRecord.ID) -> Bool { isAtomic && !recordID.zoneID.isDefaultZone }

    /// The plan with the files at the service; a record whose files did not get there is refused.
    ///
    /// - Throws: as the plan did.
    func resolved(_ results: AssetResults) throws(CKError) -> ModifyPlan {
        try ModifyPlan(saves, deletions, isAtomic: isAtomic, scope: scope, files: [], results: results)
    }

    /// What is saved and deleted, in the order given.
    var items: [Item] {
        saves.map { .save($0.record, Sent()) } + deletions.map { .delete($0) }
    }

    private init(
        _ saves: [Save], _ deletions: [CKRecord.ID], isAtomic: Bool, scope: CKDatabase.Scope,
        files: [RecordFiles], results: AssetResults
    ) throws(CKError) {
        (self.saves, self.deletions, self.isAtomic, self.files) = (saves, deletions, isAtomic, files)
        self.scope = scope
        let context = Context(saves, scope)
        var seen: Set<CKRecord.ID> = []
        var zones: [CKRecordZone.ID] = []
        var entries: [CKRecordZone.ID: [Entry]] = [:]
        for entry in saves.map({ Self.entry($0, context, results) }) + deletions.map(Self.delete) {
            let recordID = entry.item.recordID
            guard seen.insert(recordID).inserted else {
                throw CKError(
                    .invalidArguments,
                    "The record '\(recordID.recordName)' is saved or deleted twice in one operation.",
                    remedy: "Save the second change in an operation of its own.")
            }
            if entries[recordID.zoneID] == nil { zones.append(recordID.zoneID) }
            entries[recordID.zoneID, default: []].append(entry)
        }
        for zone in zones { try add(entries[zone] ?? [], zone, isAtomic: isAtomic && !zone.isDefaultZone) }
    }

    private mutating func add(
        _ entries: [Entry], _ zone: CKRecordZone.ID, isAtomic: Bool
    ) throws(CKError) {
        for case let (item, refusal?) in entries.map({ ($0.item, $0.refusal) }) {
            refused.append((item, refusal))
        }
        var good = entries.filter { $0.refusal == nil }
        if isAtomic, good.count < entries.count {
            let error = CKError(.batchRequestFailed, "Another record of the atomic batch cannot be sent.")
            refused += good.map { ($0.item, error) }
            good = []
        }
        if !isAtomic { good = Self.pairsFirst(good) }
        guard !isAtomic || good.count <= Limits.operationsPerRequest else { throw Self.tooLarge(good.count) }
        let size = isAtomic ? Limits.operationsPerRequest : Self.divisibleBatchSize
        var rest = good[...]
        while !rest.isEmpty {
            try add(chunk: Array(rest.prefix(size)), zone, isAtomic: isAtomic)
            rest = rest.dropFirst(size)
        }
    }

    /// Adds one request, or several where the bytes are too many for one.
    private mutating func add(
        chunk: [Entry], _ zone: CKRecordZone.ID, isAtomic: Bool
    ) throws(CKError) {
        var request = RecordsModifyRequest(
            operations: chunk.map(\.operation), zoneID: zone.named(in: scope),
            atomic: isAtomic)
        request.idempotencyKey = UUID().uuidString
        let body = request.encoded()
        let middle = Self.middle(of: chunk)
        guard body.count > Limits.requestBodyBytes, middle > 0 else {
            batches.append(Batch(items: chunk.map(\.item), body: body))
            return
        }
        guard !isAtomic else { throw Self.tooLarge(chunk.count) }
        try add(chunk: Array(chunk[..<middle]), zone, isAtomic: false)
        try add(chunk: Array(chunk[middle...]), zone, isAtomic: false)
    }

    private static func tooLarge(_ count: Int) -> CKError {
        CKError(
            .limitExceeded,
            "An atomic batch of \(count) records is too large for one request; if it were split, it would not be atomic.",
            remedy: "Save at most \(Limits.operationsPerRequest) records and "
                + "\(Limits.requestBodyBytes) bytes at once, or set isAtomic to false.")
    }
}

extension ModifyPlan {
    private static func delete(_ recordID: CKRecord.ID) -> Entry {
        // Deleting never compares versions, with Apple's service as here (Documentation/Protocol.md, 'Save policies').
        let input = RecordInput(recordName: recordID.recordName, recordType: nil)
        return Entry(
            item: .delete(recordID), operation: RecordOperation(.forceDelete, input), refusal: nil)
    }

    private static func entry(_ save: Save, _ context: Context, _ results: AssetResults) -> Entry {
        let recordID = save.record.recordID
        var input = RecordInput(
            recordName: recordID.recordName, recordType: save.record.recordType,
            recordChangeTag: save.type == .update ? save.state.changeTag : nil)
        if save.state.isParentChanged || save.state.changeTag == nil {
            input.parent = save.state.parent?.recordID.recordName
            input.removesParent = save.state.parent == nil && save.state.isParentChanged
        }
        input.createsShortGUID = context.rootIDs.contains(recordID)
        input.shareTerms = save.share?.terms(besides: context.savedIDs)
        var sent: [CKRecord.FieldKey: RecordValue?] = [:]
        var refusal =
            save.share?.refusal(of: recordID, besides: context.savedIDs, in: context.scope)
            ?? results.failures[recordID]
        for key in save.keys {
            let value = save.state.values[key]
            sent[key] = .some(value)
            guard let value else {
                input.fields.append((key, WireField(value: .null)))
                continue
            }
            if let field = wire(value, field: key, of: recordID, results) {
                var marked = WireField(field)
                marked.isEncrypted = save.state.encryptedKeys.contains(key)
                input.fields.append((key, marked))
            } else if refusal == nil {
                let why = value.refusal ?? "cannot be sent"
                refusal = CKError(
                    .invalidArguments, "The field '\(key)' of record '\(recordID.recordName)' \(why).")
            }
        }
        let item = Item.save(
            save.record, Sent(fields: sent, parent: save.state.parent?.recordID, share: save.share))
        return Entry(
            item: item, operation: RecordOperation(save.type, input), refusal: refusal,
            rootID: save.share?.newRootID)
    }

    /// A value as it is sent; a file that is not at the service yet stands there as an empty one.
    private static func wire(
        _ value: RecordValue, field: CKRecord.FieldKey, of recordID: CKRecord.ID, _ results: AssetResults
    ) -> FieldValue? {
        guard case .assets(let assets, let isList) = value else { return value.wire }
        let uploaded = assets.enumerated().map { index, asset -> FieldValue in
            let slot = FileSlot(recordID: recordID, field: field, index: index)
            var sent = results.assets[slot] ?? asset.uploaded ?? Asset(fileChecksum: "", size: 0)
            // The address is the service's to give.
            sent.downloadURL = nil
            return .asset(sent)
        }
        return isList ? .list(uploaded, of: .asset) : uploaded.first
    }

    /// What a save policy means on the wire, and which fields it sends (Documentation/Protocol.md, 'Save policies').
    private static func operation(
        _ state: CKRecord.State, _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> (OperationType, [CKRecord.FieldKey]) {
        let removed = state.changedKeys.filter { state.values[$0] == nil }
        let all = state.values.keys.sorted()
        switch policy {
        case .ifServerRecordUnchanged where state.changeTag == nil: return (.create, all)
        case .ifServerRecordUnchanged: return (.update, state.changedKeys)
        case .changedKeys: return (.forceUpdate, state.changedKeys)
        case .allKeys: return (.forceUpdate, all + removed)
        }
    }
}
