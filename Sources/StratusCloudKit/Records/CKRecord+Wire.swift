internal import RecordModel
internal import RecordWire

extension CKRecord {
    /// The record that an answer gives: a ``CKShare`` where it is one.
    ///
    /// - Parameter zoneID: the zone that was asked; an answer may leave it out.
    static func from(
        _ wire: RecordDictionary, zoneID: CKRecordZoneID?, in database: CKDatabase
    ) -> CKRecord {
        let named = wire.zoneID.map { CKRecordZoneID.from($0, scope: database.databaseScope) }
        // The zone as the app wrote it wins where the answer means the same one.
        let zone = zoneID.flatMap { $0.zoneName == named?.zoneName ? $0 : nil } ?? named ?? zoneID ?? .default
        let recordID = ID(recordName: wire.recordName, zoneID: zone)
        var values: [FieldKey: RecordValue] = [:]
        for (key, value) in wire.fields {
            values[key] = RecordValue(wire: value, origin: database.origin(of: key, in: recordID))
        }
        var state = State(values: values, base: values, encryptedKeys: wire.encrypted)
        state.adoptSystemFields(wire, zoneID: zone)
        guard let share = wire.shareDictionary else {
            return CKRecord(recordType: wire.recordType ?? "", recordID: recordID, state: state)
        }
        let root = share.rootName.map { ID(recordName: $0, zoneID: zone) }
        let title = values[CKShare.SystemFieldKey.title]?.text
        return CKShare(
            recordID: recordID, state: state,
            terms: CKShare.Terms(share, rootRecordID: root, title: title))
    }

    /// The record as the client last had it from the service; nil for one that never came from there.
    var ancestor: CKRecord? {
        let state = snapshot
        guard state.changeTag != nil else { return nil }
        var old = state
        old.values = state.base
        old.changedKeys = []
        guard let share = self as? CKShare else {
            return CKRecord(recordType: recordType, recordID: recordID, state: old)
        }
        return CKShare(recordID: recordID, state: old, terms: share.currentTerms.ancestor)
    }

    /// Takes over what the service says of a record that it saved.
    ///
    /// Fields that were set again while the request was on its way stay changed. A file that was uploaded becomes
    /// one that the service has.
    func adoptSaved(_ wire: RecordDictionary, sent: ModifyPlan.Sent, in database: CKDatabase) {
        mutate { state in
            if state.parent?.recordID == sent.parent { state.isParentChanged = false }
            state.adoptSystemFields(wire, zoneID: recordID.zoneID)
            for (key, value) in sent.fields {
                let origin = database.origin(of: key, in: recordID)
                let saved = value?.saved(as: wire.fields[key], origin: origin)
                state.base[key] = saved
                guard state.values[key] == value else { continue }
                state.values[key] = saved
                state.changedKeys.removeAll { $0 == key }
            }
        }
        guard let share = self as? CKShare, let sentShare = sent.share, let answer = wire.shareDictionary
        else { return }
        share.adoptSaved(answer, sent: sentShare)
    }
}

extension CKRecord.State {
    mutating func adoptSystemFields(_ wire: RecordDictionary, zoneID: CKRecordZoneID) {
        changeTag = wire.recordChangeTag
        created = wire.created.map(CKRecord.Stamp.init)
        modified = wire.modified.map(CKRecord.Stamp.init)
        if !isParentChanged { parent = wire.parent.map { CKReference($0, from: zoneID) } }
        if let reference = wire.share {
            share = CKReference(reference, from: zoneID)
            isShareUnsaved = false
        } else if !isShareUnsaved {
            share = nil
        }
    }
}

extension RecordValue {
    /// The value after its record was saved: files know what the service made of them.
    fileprivate func saved(as wire: FieldValue?, origin: CKAsset.Origin) -> RecordValue {
        guard case .assets(let assets, let isList) = self, let wire else { return self }
        let uploaded = RecordValue(wire: wire, origin: origin).assets.compactMap(\.uploaded)
        guard uploaded.count == assets.count else { return self }
        return .assets(zip(assets, uploaded).map { $0.saved(as: $1, origin: origin) }, isList: isList)
    }
}

extension CKDatabase {
    /// Where the database has the value of a field.
    func origin(of field: CKRecord.FieldKey, in recordID: CKRecord.ID) -> CKAsset.Origin {
        CKAsset.Origin(
            place: "\(client.container) \(client.environment.rawValue) \(databaseScope.rawValue)",
            recordID: recordID, field: field)
    }
}

extension CKRecord.Stamp {
    fileprivate init(_ wire: RecordStamp) {
        milliseconds = wire.timestamp
        userRecordName = wire.userRecordName
    }
}
