internal import RecordModel

extension CKRecordZoneID {
    /// The zone as requests name it: nobody is named as the owner of the user's own zones.
    var wire: ZoneID {
        ZoneID(zoneName: zoneName, ownerName: ownerName == CKCurrentUserDefaultName ? nil : ownerName)
    }

    /// The zone as a request for its records names it: nil for the default zone, which the service takes where none is
    /// named. In the shared database each zone is named, so that one without an owner is refused.
    func named(in scope: CKDatabase.Scope) -> ZoneID? { isDefaultZone && scope != .shared ? nil : wire }

    /// Whether this is the zone that every database has.
    var isDefaultZone: Bool { zoneName == Self.defaultZoneName }

    /// The zone that an answer names.
    ///
    /// The service names the owner of every zone. Outside the shared database that is the user, for whom
    /// an app writes `CKCurrentUserDefaultName`, so IDs from answers equal the ones that the app made.
    static func from(_ wire: ZoneID, scope: CKDatabase.Scope) -> CKRecordZoneID {
        guard scope == .shared, let owner = wire.ownerName else {
            return CKRecordZoneID(zoneName: wire.zoneName)
        }
        return CKRecordZoneID(zoneName: wire.zoneName, ownerName: owner)
    }
}
