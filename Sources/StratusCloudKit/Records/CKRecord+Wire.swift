internal import RecordModel
internal import RecordWire

extension CKRecord {
    /// Makes the record that an answer gives.
    ///
    /// - Parameter zoneID: the zone that was asked; an answer may leave it out.
    convenience init(_ wire: RecordDictionary, zoneID: CKRecordZoneID?, scope: CKDatabase.Scope) {
        let named = wire.zoneID.map { CKRecordZoneID.from($0, scope: scope) }
        // The zone as the app wrote it wins where the answer means the same one.
        let zone = zoneID.flatMap { $0.zoneName == named?.zoneName ? $0 : nil } ?? named ?? zoneID ?? .default
        let values = wire.fields.mapValues { RecordValue.field($0) }
        var state = State(values: values, base: values)
        state.adoptSystemFields(wire, zoneID: zone)
        self.init(
            recordType: wire.recordType ?? "", recordID: ID(recordName: wire.recordName, zoneID: zone),
            state: state)
    }

    /// The record as the client last had it from the service; nil for one that never came from there.
    var ancestor: CKRecord? {
        let state = snapshot
        guard state.changeTag != nil else { return nil }
        var old = state
        old.values = state.base
        old.changedKeys = []
        return CKRecord(recordType: recordType, recordID: recordID, state: old)
    }

    /// Takes over what the service says of a record that it saved.
    ///
    /// Fields that were set again while the request was on its way stay changed.
    /// - Parameter sent: the values that were sent; nil for a field that was removed.
    func adoptSaved(_ wire: RecordDictionary, sent: [FieldKey: RecordValue?]) {
        mutate { state in
            state.adoptSystemFields(wire, zoneID: recordID.zoneID)
            for (key, value) in sent {
                state.base[key] = value
                if state.values[key] == value { state.changedKeys.removeAll { $0 == key } }
            }
        }
    }
}

extension CKRecord.State {
    mutating func adoptSystemFields(_ wire: RecordDictionary, zoneID: CKRecordZoneID) {
        changeTag = wire.recordChangeTag
        created = wire.created.map(CKRecord.Stamp.init)
        modified = wire.modified.map(CKRecord.Stamp.init)
        if let parent = wire.parent { self.parent = CKReference(parent, from: zoneID) }
    }
}

extension CKRecord.Stamp {
    fileprivate init(_ wire: RecordStamp) {
        milliseconds = wire.timestamp
        userRecordName = wire.userRecordName
    }
}
