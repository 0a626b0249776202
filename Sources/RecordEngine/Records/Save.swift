import RecordModel
import RecordStorage
import RecordWire

/// Saving one record: the new state is put together and checked as a whole, then stored.
struct Save {
    let scope: ModifyScope
    /// The position of its operation in the request.
    let position: Int
    let zone: ZoneRow
    let name: String
    let existing: RecordRow?
    /// The record of a user that nobody changed yet, which tells when the user was made.
    var unchangedUser: RecordRow?
    /// The version whose values the record gets, where it is restored.
    var version: RecordVersion?
    /// The record above, once the new state is known.
    private(set) var parent: String?
    /// Whether it has another record above it than before.
    private(set) var isMoved = false
    /// The number of its type, once it is saved.
    private(set) var savedType: Int64 = 0

    init(
        scope: ModifyScope, position: Int, zone: ZoneRow, name: String, existing: RecordRow?,
        unchangedUser: RecordRow?
    ) {
        self.scope = scope
        self.position = position
        self.zone = zone
        self.name = name
        self.existing = existing
        self.unchangedUser = unchangedUser
    }

    private var store: any StoreWriter { scope.store }
    private var context: CallContext { scope.context }

    /// Saves, and gives the record as it is sent.
    mutating func run(_ operation: RecordOperation) throws -> [UInt8] {
        var type = try recordType(of: operation.record)
        var fields = try newFields(operation, type: type)
        let evolution = SchemaEvolution(store: store, tenant: context.tenant)
        let marked =
            try version.map { try RecordBody.encryptedFields(of: $0.body) }
            ?? Set(operation.record.fields.lazy.filter { $0.field.isMarkedEncrypted }.map(\.name))
        let missing = try evolution.missing(fields, encrypted: marked, from: type)
        let assets = try AssetFields(
            database: context.database, zone: zone.name, recordName: name, recordType: type.name,
            now: context.now, secret: scope.secret, store: store,
            earlierBodies: [existing?.body, version?.body].compactMap(\.self)
        ).resolve(&fields)
        var relations = try existing.map { try RecordBody.relations(of: $0.body) } ?? RecordBody.Relations()
        let parent = try newParent(operation)
        self.parent = parent
        isMoved = existing != nil && parent != relations.parent
        try checkAccess(under: parent, isNew: existing == nil)
        if operation.record.createsShortGUID, relations.shortGUID == nil {
            guard zone.isTracked, context.database.owner != nil else { throw ServiceError.noLinks }
            guard context.access == nil else { throw ServiceError.ownersLinks }
            relations.shortGUID = try scope.makeLink(to: name, in: zone)
        }
        if let parent, operation.record.parent != nil || version != nil { try check(parent: parent) }
        let references = try protectedReferences(fields, parent: parent)

        let sequence = try store.nextSequence()
        let author = context.caller.userRecordName
        let first = existing ?? unchangedUser
        let created = RecordStamp(
            timestamp: first?.createdAt ?? version?.createdAt ?? context.now,
            userRecordName: first?.createdBy ?? version?.createdBy ?? author,
            deviceID: RecordStamp.webDeviceID)
        let body = RecordBody.make(
            RecordBody.Parts(
                recordName: name, recordType: type.name, changeTag: ChangeTag.text(sequence), fields: fields,
                created: created,
                modified: RecordStamp(
                    timestamp: context.now, userRecordName: author, deviceID: RecordStamp.webDeviceID),
                parent: parent, share: relations.share.map { ($0, zoneText) }, shortGUID: relations.shortGUID,
                encrypted: Self.encrypted(type, missing)))
        try RecordSize.check(fields, bodyBytes: body.count)
        if let quotas = scope.quotas {
            try check(quotas, size: try DatabaseSeal.storedBytes(of: body), fields)
        }
        // The record is good: only now is anything written, so a refused one leaves no type and no field.
        try evolution.apply(missing, to: &type)
        let record = NewRecord(
            zone: zone, type: type, name: name, sequence: sequence, createdBy: created.userRecordName,
            createdAt: created.timestamp, modifiedBy: author, modifiedAt: context.now, parent: parent,
            fields: fields.compactMap { field in
                type[field.name].flatMap { $0.indexes.isEmpty ? nil : (field: $0, value: field.value) }
            },
            references: references, assets: assets, body: body)
        if type.keeping != nil {
            let keeper = VersionKeeper(store: store, context: context, quotas: scope.quotas)
            if let existing {
                try keeper.keep(replaced: existing, by: record)
            } else if operation.record.recordName != nil {
                // A name that the service has just chosen was nobody's.
                try store.noteReturn(ofRecordNamed: name, in: zone.id)
            }
        } else if version != nil, existing == nil {
            // Its type keeps nothing any more, but what is left of before is not deleted now.
            try store.noteReturn(ofRecordNamed: name, in: zone.id)
        }
        if let existing { try store.update(existing, with: record) } else { try store.insert(record) }
        savedType = type.id
        scope.budget.take(record, keeping: type.keeping == nil ? 0 : existing?.bodyBytes ?? 0)
        return body
    }

    /// The zone as a body names it.
    private var zoneText: [UInt8] { JSONWriter.text { $0.zoneDictionary(zone.name, context) } }

    /// Refuses what would take a record out of what is shared with the caller, or make one outside.
    private func checkAccess(under parent: String?, isNew: Bool) throws {
        guard let members = scope.members, isNew || isMoved else { return }
        if let share = members.hierarchy.zoneShare {
            guard members.permission(in: share) == .write else {
                throw ServiceError.readersOnly(isReadable: true)
            }
            return
        }
        let isRoot = try members.hierarchy.share(ofRoot: name) != nil
        let permission = try parent.map { try members.permission(ofRecordNamed: $0) } ?? .none
        guard !isRoot, permission == .write else {
            if permission == .read { throw ServiceError.readersOnly(isReadable: true) }
            throw ServiceError(
                .accessDenied, "The record would not be among those that are shared with you.",
                remedy: "Give it a 'parent' that is shared with you to read and write.")
        }
    }

    /// - Throws: `QUOTA_EXCEEDED` where there is no room for the new state.
    private func check(
        _ quotas: StorageQuotas, size: Int, _ fields: [(name: String, value: FieldValue)]
    ) throws {
        let files = AssetFields.bytes(of: fields)
        let before = try existing.map {
            Int64($0.bodyBytes) + (try store.assetBytes(ofRecordNamed: name, in: zone.id))
        }
        try scope.promises.check(
            quotas, growth: Int64(size) + files - (before ?? 0), in: zone, context, store)
    }

    /// The fields whose values answers mark as encrypted.
    static func encrypted(
        _ type: RecordType, _ missing: [SchemaEvolution.Missing]
    ) -> Set<String> {
        var names = Set(missing.lazy.filter { $0.declaration == .encrypted }.map(\.name))
        for field in type.fields where field.declaration == .encrypted { names.insert(field.name) }
        return names
    }

    /// The type of the record: that of the one there, or the one asked for, made where development may.
    private func recordType(of input: RecordInput) throws -> RecordType {
        let evolution = SchemaEvolution(store: store, tenant: context.tenant)
        if let existing {
            guard let type = try store.schema(of: context.tenant).type(numbered: existing.type) else {
                throw StorageError.engine("A record has a type that the schema lacks.")
            }
            if let wanted = input.recordType, wanted != type.name {
                throw ServiceError(
                    .badRequest, "The record is of type '\(type.name)'; a record's type cannot change.")
            }
            return type
        }
        if let version {
            if let type = try store.schema(of: context.tenant).type(numbered: version.type) { return type }
            return try evolution.type(named: RecordBody.recordType(of: version.body), newFields: [])
        }
        guard let name = input.recordType else {
            throw ServiceError(
                .badRequest, "'recordType' is missing.", remedy: "A new record needs its type.")
        }
        return try evolution.type(named: name, newFields: input.fields)
    }

    /// The fields of the new state: those sent over those there, or those sent alone.
    private func newFields(
        _ operation: RecordOperation, type: RecordType
    ) throws -> [(name: String, value: FieldValue)] {
        if let version { return try RecordBody.fields(of: version.body) }
        var fields: [(name: String, value: FieldValue)] = []
        if let existing, !operation.type.replacesAll { fields = try RecordBody.fields(of: existing.body) }
        var positions = Dictionary(
            fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var removed: Set<String> = []
        let quoted = operation.numbersAsStrings ?? scope.request.numbersAsStrings
        for (name, field) in operation.record.fields {
            let value: FieldValue?
            do {
                value = try FieldValue.decode(
                    field, expected: type[name]?.type,
                    allowsEncrypted: type[name].map { $0.declaration == .encrypted } ?? true,
                    numbersAsStrings: quoted)
            } catch {
                throw ServiceError(error, at: "Field '\(name.prefix(64))'")
            }
            guard let value else {
                removed.insert(name)
                continue
            }
            removed.remove(name)
            if let position = positions[name] {
                fields[position].value = value
            } else {
                positions[name] = fields.count
                fields.append((name, value))
            }
        }
        if !removed.isEmpty { fields.removeAll { removed.contains($0.name) } }
        return fields
    }

    private func newParent(_ operation: RecordOperation) throws -> String? {
        if let version { return try RecordBody.parent(of: version.body) }
        if let parent = operation.record.parent { return parent }
        guard let existing, !operation.type.replacesAll, !operation.record.removesParent else { return nil }
        return try RecordBody.parent(of: existing.body)
    }

    /// Refuses a parent that is below the record; one that it has already is not looked at.
    private func check(parent: String) throws {
        if let existing, let former = try RecordBody.parent(of: existing.body), former.isExactly(parent) {
            return
        }
        try scope.promises.move(name, under: parent, in: zone, store)
    }

    /// The references that hold something: checked, and in the form in which the store keeps them.
    private func protectedReferences(
        _ fields: [(name: String, value: FieldValue)], parent: String?
    ) throws -> [(field: String, reference: Reference)] {
        var references: [(field: String, reference: Reference)] = []
        for (name, value) in fields {
            switch value {
            case .reference(let reference): references.append((name, reference))
            case .list(let elements, of: .reference):
                for case .reference(let reference) in elements { references.append((name, reference)) }
            default: break
            }
        }
        if let parent {
            references.append(("___parent", Reference(recordName: parent, action: .validate)))
        }
        for (field, reference) in references { try check(reference, field: field) }
        return references.filter { $0.reference.action != .none }
    }

    private func check(_ reference: Reference, field: String) throws {
        if let other = reference.zoneID, other.zoneName != zone.name || !Zones.isOwn(other, context) {
            throw ServiceError(
                .badRequest, "Field '\(field)' refers to a record of another zone.",
                remedy: "Keep records that refer to each other in one zone.")
        }
        switch reference.action {
        case .none: return
        case .deleteSelf:
            let others = try store.referenceCount(
                to: reference.recordName, in: zone.id, action: .deleteSelf, besides: name)
            guard
                others < Limits.deleteSelfReferencesPerTarget
                    || scope.promises.mayCrowd(reference.recordName)
            else {
                throw ServiceError(
                    exceeding: "deleteSelfReferencesPerTarget",
                    "\(Limits.deleteSelfReferencesPerTarget) records refer to one record with DELETE_SELF; no more are allowed.",
                    remedy: "Use references without an action.")
            }
        case .validate:
            // A record that the caller cannot read is as good as not there.
            let isThere = try store.origin(ofRecordNamed: reference.recordName, in: zone.id) != nil
            guard
                try isThere && scope.isReadable(reference.recordName, in: zone)
                    || scope.promises.promise(reference.recordName, from: position)
            else {
                throw ServiceError(
                    .validatingReference,
                    "Field=\(field), recordID=\(reference.recordName), title=The record that is referred to does not exist"
                )
            }
        }
    }
}
