import RecordModel
import RecordStorage
import RecordWire

/// Taking in one record: checked as a whole, then stored.
struct IntakeSave {
    let store: any StoreWriter
    let database: DatabaseID
    let zone: ZoneRow
    /// Who keeps what records were; nil where nothing should be left of it.
    var keeper: VersionKeeper?
    /// What keeps in step what the zone shares; nil where nothing can be shared.
    var shares: ShareKeeper?
    /// Who is above whom, for all records of one write.
    var chain = ParentChain()

    /// Stores a record, or notes why not.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written, `JSONError` where the record that is replaced is
    ///   damaged, `SealingError` where an encrypted field of that does not open. What is wrong with the record itself is in
    ///   the outcome.
    mutating func run(_ record: IncomingRecord, _ outcome: inout IntakeOutcome) throws {
        do {
            try save(record, &outcome)
            if let parent = record.parent { try noteCircle(of: record.recordName, under: parent, &outcome) }
        } catch let error as ServiceError {
            let reason = [error.reason, error.remedy].compactMap { $0 }.joined(separator: " ")
            outcome.refusals.append(.init(recordName: record.recordName, reason: reason))
        }
    }

    private func save(_ record: IncomingRecord, _ outcome: inout IntakeOutcome) throws {
        try checkName(of: record)
        let existing = try store.record(named: record.recordName, in: zone.id)
        if let existing, try modified(existing) > record.modified.timestamp {
            outcome.newerHere += 1
            return
        }
        let relations = try existing.map { try RecordBody.relations(of: $0.body) } ?? RecordBody.Relations()
        try checkShare(record)
        let evolution = SchemaEvolution(store: store, tenant: database.tenant, isOpen: true)
        var type = try evolution.type(named: record.recordType, newFields: [])
        let missing = try evolution.missing(record.fields, encrypted: record.encrypted, from: type)
        let assets = try files(of: record)
        let references = try protectedReferences(of: record)
        let marked = Save.encrypted(type, missing)
        if let existing, existing.type == type.id,
            existing.body == body(record, relations, tag: existing.sequence, marked)
        {
            outcome.unchanged += 1
            return
        }
        try RecordSize.check(record.fields, bodyBytes: body(record, relations, tag: .max, marked).count)
        // The record is good: only now is anything written.
        try evolution.apply(missing, to: &type)
        let former = try shares?.share(before: existing)
        let sequence = try store.nextSequence()
        let new = NewRecord(
            zone: zone, type: type, name: record.recordName, sequence: sequence,
            createdBy: record.created.userRecordName, createdAt: record.created.timestamp,
            modifiedBy: record.modified.userRecordName, modifiedAt: record.modified.timestamp,
            parent: record.parent,
            fields: record.fields.compactMap { field in
                type[field.name].flatMap { $0.indexes.isEmpty ? nil : (field: $0, value: field.value) }
            },
            references: references, assets: assets, body: body(record, relations, tag: sequence, marked))
        switch existing {
        case let row? where row.type == type.id:
            try keeper?.keep(replaced: row, by: new)
            try store.update(row, with: new)
        case let row?:
            // Deleted elsewhere, and made again as something else.
            if let type = try store.schema(of: database.tenant).type(numbered: row.type) {
                try keeper?.keep(deleted: row, of: type, in: zone, sequence: sequence)
            }
            try store.delete(row, in: zone, sequence: sequence)
            try insertAgain(new)
        case nil:
            if type.keeping != nil { try store.noteReturn(ofRecordNamed: new.name, in: zone.id) }
            try store.insert(new)
        }
        try shares?.noteSave(
            record.recordName, of: type.id, replacing: existing, from: former,
            isMoved: record.parent != relations.parent)
        outcome.saved += 1
    }

    /// Notes a circle that a record closed. It is stored nevertheless: who comes in the order of changes may open it again, and
    /// a refused one would be lost.
    private mutating func noteCircle(
        of name: String, under parent: String, _ outcome: inout IntakeOutcome
    ) throws {
        // A record without children is above nobody.
        guard try !store.referrers(to: name, in: zone.id, action: .validate, limit: 1).isEmpty else { return }
        do {
            guard let above = try chain.path(from: parent, to: name, in: zone, store) else { return }
            outcome.circles.append(
                .init(database: database, zone: zone.name, names: [name] + above.dropLast()))
        } catch is ServiceError {
            // Too much is above it to look at in one write: nothing is known of a circle.
        }
    }

    private func insertAgain(_ record: NewRecord) throws {
        var record = record
        record.sequence = try store.nextSequence()
        record.body = try RecordBody.retagged(record.body, ChangeTag.text(record.sequence))
        if record.type.keeping != nil { try store.noteReturn(ofRecordNamed: record.name, in: zone.id) }
        try store.insert(record)
    }

    /// A share is its owner's to make: whom it lets in does not come with its record.
    private func checkShare(_ record: IncomingRecord) throws {
        guard record.recordType == RecordInput.shareType,
            try store.share(named: record.recordName, in: zone.id) == nil
        else { return }
        throw ServiceError(
            .badRequest,
            "The record is a share, which cannot be taken over: its participants are no part of it.",
            remedy: "Its owner shares again.")
    }

    /// - Parameter relations: those of the record that is there, whose share and link stay.
    private func body(
        _ record: IncomingRecord, _ relations: RecordBody.Relations, tag sequence: Int64,
        _ encrypted: Set<String>
    ) -> [UInt8] {
        RecordBody.make(
            RecordBody.Parts(
                recordName: record.recordName, recordType: record.recordType,
                changeTag: ChangeTag.text(sequence), fields: record.fields, created: record.created,
                modified: record.modified, parent: record.parent,
                share: relations.share.map { share in
                    (share, JSONWriter.text { $0.zoneDictionary(zone.name, of: database) })
                }, shortGUID: relations.shortGUID, encrypted: encrypted))
    }

    private func modified(_ row: RecordRow) throws -> Int64 {
        let object = try JSONReader.read(row.body + [UInt8(ascii: "}")]).object
        return try object?.object("modified")?.int("timestamp").map(Int64.init) ?? 0
    }

    /// Only the records of users have names like theirs.
    private func checkName(of record: IncomingRecord) throws(ServiceError) {
        guard record.recordType == UserRecords.typeName else {
            return try Names.checkRecordName(record.recordName)
        }
        guard !zone.isTracked, record.recordName.hasPrefix("_") else {
            throw ServiceError(
                .badRequest, "Only users have records of type '\(UserRecords.typeName)', in default zones.")
        }
        try Names.checkRecordName(String(record.recordName.dropFirst()))
    }

    private func files(of record: IncomingRecord) throws -> [(field: String, digest: AssetDigest)] {
        var uses: [(field: String, digest: AssetDigest)] = []
        for (name, value) in record.fields where value.type?.scalar == .asset {
            let values: [FieldValue] = if case .list(let elements, _) = value { elements } else { [value] }
            for case .asset(let asset) in values {
                guard let digest = AssetDigest(checksum: asset.fileChecksum),
                    try store.asset(digest) != nil
                else {
                    throw ServiceError(.badRequest, "Field '\(name)': the file did not come with the record.")
                }
                uses.append((name, digest))
            }
        }
        guard uses.count <= Limits.assetsPerRecord else {
            throw ServiceError(
                exceeding: "assetsPerRecord",
                "The record has \(uses.count) files; \(Limits.assetsPerRecord) are allowed.")
        }
        return uses
    }

    /// The references that hold something. Their targets may come later, and that they are there was the rule where the
    /// record comes from.
    private func protectedReferences(
        of record: IncomingRecord
    ) throws -> [(field: String, reference: Reference)] {
        var references: [(field: String, reference: Reference)] = []
        for (name, value) in record.fields {
            switch value {
            case .reference(let reference): references.append((name, reference))
            case .list(let elements, of: .reference):
                for case .reference(let reference) in elements { references.append((name, reference)) }
            default: break
            }
        }
        if let parent = record.parent {
            references.append(("___parent", Reference(recordName: parent, action: .validate)))
        }
        for (field, reference) in references { try check(reference, field, of: record) }
        return references.filter { $0.reference.action != .none }
    }

    private func check(_ reference: Reference, _ field: String, of record: IncomingRecord) throws {
        if let other = reference.zoneID {
            let isOwn = [nil, database.owner, "_defaultOwner", "__defaultOwner__"].contains(other.ownerName)
            guard other.zoneName == zone.name, isOwn || database.owner == nil else {
                throw ServiceError(.badRequest, "Field '\(field)' refers to a record of another zone.")
            }
        }
        guard reference.action == .deleteSelf else { return }
        let others = try store.referenceCount(
            to: reference.recordName, in: zone.id, action: .deleteSelf, besides: record.recordName)
        guard others < Limits.deleteSelfReferencesPerTarget else {
            throw ServiceError(
                exceeding: "deleteSelfReferencesPerTarget",
                "\(Limits.deleteSelfReferencesPerTarget) records refer to one record with DELETE_SELF; no more are allowed."
            )
        }
    }
}
