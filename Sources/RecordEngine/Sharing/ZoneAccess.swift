import RecordModel
import RecordStorage

/// What lets a caller into a zone of somebody else's database.
///
/// Every zone dictionary of the shared database names its owner, so it is decided for each zone of a request, inside the read or
/// write that the request makes: ``CallContext/entering(_:_:)`` is the only place that makes one.
struct ZoneAccess: Hashable, Sendable {
    /// Who comes in.
    enum Visitor: Hashable, Sendable {
        /// A user, with all that the zone shares with them.
        case participant(String)
        /// Whoever has the link of one share that is open to people without an account.
        case anybody(share: String)
    }

    /// The zone, of its owner's database.
    let zone: ZoneRow
    /// Who comes in.
    let visitor: Visitor
}

extension CallContext {
    /// The request as it is in one of its zones: of the owner's database, where that is somebody else's.
    ///
    ///     let context = try context.entering(request.zoneID ?? .default, reader)
    ///
    /// In the public database and in the caller's own this is the request itself. A zone that is not shared with the caller is as
    /// good as not there.
    ///
    /// - Throws: `BAD_REQUEST` for a zone of the shared database that does not name its owner, `ZONE_NOT_FOUND`; `StorageError`.
    func entering(_ zoneID: ZoneID, _ reader: any StoreReader) throws -> CallContext {
        guard scope == .shared else { return self }
        guard let owner = zoneID.ownerName, !owner.isEmpty, owner != "_defaultOwner",
            owner != "__defaultOwner__"
        else { throw ServiceError.ownerMissing }
        let database = DatabaseID(tenant: tenant, owner: owner)
        let number = try reader.database(database)
        let zone = try number.flatMap { try reader.zone(named: zoneID.zoneName, in: $0) }
        // Asked for in any case, so that a zone that is not there takes as long.
        let visitor = try visitor(of: zone?.id ?? 0, reader)
        guard let zone, zone.isTracked, let visitor else { throw ServiceError.zoneNotFound(zoneID) }
        var entered = self
        entered.database = database
        entered.access = ZoneAccess(zone: zone, visitor: visitor)
        return entered
    }

    /// As whom the caller comes into a zone; nil where nothing of it is shared with the caller.
    private func visitor(of zone: Int64, _ reader: any StoreReader) throws -> ZoneAccess.Visitor? {
        if let pass {
            guard pass.zone == zone, let share = try reader.share(named: pass.share, in: zone),
                try share.isShownToEverybody(in: tenant, reader), !share.hasEnded(at: now),
                try reader.record(named: pass.share, in: zone)?.sequence == pass.sequence
            else { return nil }
            return .anybody(share: pass.share)
        }
        guard let participant else { throw ServiceError.needsUser }
        let isLetIn = try reader.isLetIn(user: participant, to: zone)
        return isLetIn ? .participant(participant) : nil
    }

    /// Whose shared database is asked: the caller's, or that of the user whom an operator looks as; nil for nobody's.
    var participant: String? {
        guard scope == .shared else { return nil }
        return database.owner
    }
}

extension ServiceError {
    /// A zone of the shared database without its owner.
    static let ownerMissing = ServiceError(
        .badRequest, "A zone of the shared database must name its owner.",
        remedy:
            "Send 'zoneID' with 'zoneName' and 'ownerRecordName', as zones/list of the shared database gives it."
    )

    /// Something that the shared database does not have.
    static func notInShared(_ what: String, remedy: String? = nil) -> ServiceError {
        var error = ServiceError(.badRequest, what, remedy: remedy)
        error.nativeCode = NativeCode.badDatabase
        return error
    }
}

/// Numbers of `CKError.Code` for what the wire has no code of its own for (developer.apple.com/documentation/cloudkit/ckerror).
enum NativeCode {
    static let permissionFailure = 10
    static let invalidArguments = 12
    static let serverRejectedRequest = 15
    static let badDatabase = 24
    static let tooManyParticipants = 29
    static let alreadyShared = 30
    static let participantMayNeedVerification = 33
    static let participantAlreadyInvited = 37
}
