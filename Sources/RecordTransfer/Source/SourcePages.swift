import RecordEngine
import RecordModel
import RecordWire

/// A part of what a service answers, with what could not be read of it.
struct SourcePage: Sendable {
    /// The records.
    var records: [IncomingRecord] = []
    /// The names of records that were deleted.
    var deleted: [String] = []
    /// The records that the service did not give out, and those that cannot be read.
    var refusals: [IntakeOutcome.Refusal] = []
    /// The records that the service cannot give out at the moment.
    var later: [String] = []
    /// Where the next page begins, or where later changes do.
    var next: String?
    /// Whether there is more by now.
    var isMoreComing = false
}

/// Asks a service for records, by what Apple documents alone: no counts, no predicates, no order that needs an index.
struct SourcePages: Sendable {
    let service: any SourceService
    /// The user whose private database is read, by the service's name and by the one here.
    let identity: SourceIdentity?

    /// A page of a type in a default zone.
    ///
    /// - Parameter since: only records that were changed after it, in milliseconds; the service may refuse that.
    func query(
        _ scope: DatabaseScope, type: String, marker: String?, since: Int64?
    ) async throws -> SourcePage {
        var query = QueryDictionary(recordType: type)
        if let since {
            query.filterBy = [
                FilterDictionary(
                    .greaterThan, .system(.modifiedTimestamp),
                    WireField(value: .int(since), type: "TIMESTAMP"))
            ]
        }
        var request = RecordsQueryRequest(query: query)
        request.resultsLimit = Self.pageRecords
        request.continuationMarker = marker
        let object = try await service.send(.recordsQuery, to: scope, request)
        var page = try await page(try object.objects("records"), scope, .default)
        page.next = try object.string("continuationMarker")
        page.isMoreComing = page.next != nil
        return page
    }

    /// A page of a zone's changes.
    func changes(in zone: ZoneID, after token: String?) async throws -> SourcePage {
        let request = ZonesChangesRequest(zones: [
            ZoneChangesRequest(zoneID: zone, syncToken: token, resultsLimit: Self.pageRecords)
        ])
        let object = try await service.send(.changesZone, to: .private, request)
        guard let answer = try object.objects("zones").first else {
            throw JSONError.shape("The answer has no zone.")
        }
        if let error = ErrorDictionary(json: answer) { throw error }
        var page = try await page(try answer.objects("records"), .private, zone)
        page.next = try answer.string("syncToken")
        page.isMoreComing = try answer.bool("moreComing") ?? false
        return page
    }

    /// Which zones changed after a token, or were deleted.
    func zones(after token: String?) async throws -> (
        zones: [(ZoneID, isDeleted: Bool)], next: String?, isMore: Bool
    ) {
        let object = try await service.send(
            .changesDatabase, to: .private, DatabaseChangesRequest(syncToken: token))
        let zones = try object.objects("zones").compactMap {
            item throws(JSONError) -> (ZoneID, isDeleted: Bool)? in
            guard let zone = try item.object("zoneID") else { return nil }
            return (try ZoneID(json: zone), try item.bool("deleted") ?? false)
        }
        return (
            zones.filter { !$0.0.isDefault }, try object.string("syncToken"),
            try object.bool("moreComing") ?? false
        )
    }

    /// Records by name. What the service does not have comes as a refusal with the code `NOT_FOUND`.
    ///
    /// - Parameter desiredKeys: the fields wanted; nil for all.
    func lookup(
        _ names: [String], _ scope: DatabaseScope, in zone: ZoneID, desiredKeys: [String]? = nil
    ) async throws -> [JSONObject] {
        var request = RecordsLookupRequest(
            records: names.map { .init(recordName: $0) }, zoneID: zone.isDefault ? nil : zone)
        request.desiredKeys = desiredKeys
        return try await service.send(.recordsLookup, to: scope, request).objects("records")
    }

    /// What Apple documents as the most, and as what it answers by itself.
    static let pageRecords = Limits.recordsPerAnswer

    /// Reads records. Those that the service cannot give out at the moment are asked for again by name.
    private func page(_ items: [JSONObject], _ scope: DatabaseScope, _ zone: ZoneID) async throws
        -> SourcePage
    {
        var page = read(items)
        var attempts = 0
        while !page.later.isEmpty, attempts < Self.attempts {
            attempts += 1
            try await Task.sleep(for: .milliseconds(250 << min(attempts, 7)))
            let again = read(try await lookup(page.later, scope, in: zone))
            page.later = again.later
            page.records += again.records
            page.refusals += again.refusals
        }
        page.refusals += page.later.map {
            .init(recordName: $0, reason: "The service kept saying that it cannot send it at the moment.")
        }
        return page
    }

    private static let attempts = 8

    func read(_ items: [JSONObject]) -> SourcePage {
        var page = SourcePage()
        for item in items {
            if let error = ErrorDictionary(json: item) {
                let name = error.recordName ?? "?"
                if error.mayPass, error.recordName != nil {
                    page.later.append(name)
                } else if error.serverErrorCode != ServiceError.Code.notFound.description {
                    page.refusals.append(.init(recordName: name, reason: error.description))
                }
                continue
            }
            let name = item["recordName"]?.string ?? "?"
            if item["deleted"]?.bool == true {
                page.deleted.append(name)
                continue
            }
            do {
                let record = try IncomingRecord(json: item)
                page.records.append(identity?.here(record) ?? record)
            } catch {
                page.refusals.append(.init(recordName: name, reason: error.description))
            }
        }
        return page
    }
}

extension ErrorDictionary {
    /// Whether the same may succeed later.
    var mayPass: Bool {
        let codes: [ServiceError.Code] = [.throttled, .tryAgainLater, .zoneBusy, .internalError]
        return retryAfter != nil || codes.contains { $0.description == serverErrorCode }
    }

    /// Whether a token or a marker cannot be used any more.
    var saysStartAgain: Bool {
        serverErrorCode == ServiceError.Code.badRequest.description
            || serverErrorCode == "CHANGE_TOKEN_EXPIRED"
    }
}
