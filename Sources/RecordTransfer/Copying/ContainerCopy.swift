import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TemporaryFiles

/// Copies a container of another service into this store, and goes on with what changed there since.
///
/// Default zones are read by queries, since they have no feed of changes, custom zones by their feeds. Each page is stored
/// before the state says so, and storing it again changes nothing: whatever stops the work, it goes on from the state.
public struct ContainerCopy: Sendable {
    /// How far clocks may be apart, in milliseconds: a pass looks that far back before the last one began.
    static let clockSkew: Int64 = 300_000

    /// What has been done so far.
    public internal(set) var counts = CopyCounts()
    /// How far it got.
    public internal(set) var state: CopyState

    let plan: CopyPlan
    let target: CopyTarget
    let pages: SourcePages
    let files: SourceFiles
    /// Whether the service does not take queries by the time of change.
    private var refusesTimes = false
    private let save: @Sendable (CopyState) throws -> Void
    private let progress: @Sendable (CopyCounts) -> Void

    /// Prepares a copy.
    ///
    /// - Parameters:
    ///   - plan: what is copied.
    ///   - service: where it is.
    ///   - target: where it goes.
    ///   - state: how far an earlier run got.
    ///   - save: keeps the state; it may leave out states that come soon after another one.
    ///   - progress: told after each page.
    public init(
        _ plan: CopyPlan, from service: any SourceService, to target: CopyTarget, state: CopyState,
        save: @escaping @Sendable (CopyState) throws -> Void,
        progress: @escaping @Sendable (CopyCounts) -> Void = { _ in }
    ) {
        self.plan = plan
        self.target = target
        self.state = state
        self.save = save
        self.progress = progress
        pages = SourcePages(service: service, identity: plan.identity)
        files = SourceFiles(
            service: service, store: target.files, scratch: ScratchDirectory(name: "stratus-copy"))
    }

    /// Copies all that is not here yet.
    ///
    /// - Throws: ``TransferError``; what the service throws, `ErrorDictionary` among others; `JSONError` for an answer that cannot
    ///   be read; `StorageError`; what `save` throws; `CancellationError`. The same call goes on.
    public mutating func run() async throws {
        for scope in plan.scopes {
            if scope == .private { try await copyZones() }
            for type in plan.types { try await copy(type, of: scope) }
            guard plan.deletes else { continue }
            for type in plan.types { try await deleteGone(type, of: scope, in: .default) }
        }
        // What closed a circle may have been followed by what opened it again.
        counts.records.circles = try await RecordIntake.standing(counts.records.circles, in: target.store)
    }

    // MARK: Default zones

    private mutating func copy(_ type: String, of scope: DatabaseScope) async throws {
        let key = "\(scope.rawValue) \(type)"
        var place = state.queries[key] ?? .init()
        if place.startedAt == nil {
            place = .init(
                since: place.since, startedAt: target.now(), filter: refusesTimes ? nil : place.since,
                marker: nil)
        }
        do {
            try await pass(type, of: scope, key, place)
        } catch let error as ErrorDictionary where error.saysStartAgain && place.filter != nil {
            // The type has no index on the time of change, so each pass reads all of it.
            refusesTimes = true
            place.filter = nil
            place.marker = nil
            try await pass(type, of: scope, key, place)
        } catch let error as ErrorDictionary where error.saysStartAgain && place.marker != nil {
            place.marker = nil
            try await pass(type, of: scope, key, place)
        }
    }

    private mutating func pass(
        _ type: String, of scope: DatabaseScope, _ key: String, _ start: CopyState.QueryPlace
    ) async throws {
        var place = start
        let pages = pages
        @Sendable func page(_ marker: String?) async throws -> SourcePage {
            do {
                return try await pages.query(scope, type: type, marker: marker, since: start.filter)
            } catch let error as ErrorDictionary where error.isMissingType {
                return SourcePage()
            } catch let error as ErrorDictionary where error.asksForIndex && start.filter == nil {
                throw TransferError(
                    "COPY_NEEDS_INDEX",
                    "The service refuses to list the records of type \(type): \(error.reason ?? error.description)",
                    remedy:
                        "In the CloudKit Console, add a QUERYABLE index on recordName to \(type) and deploy it, then run the command again."
                )
            }
        }
        var next = try await page(place.marker)
        while true {
            let current = next
            place.marker = current.next
            guard let marker = current.next else {
                try await take(current, of: scope, in: .default)
                break
            }
            // The service makes the next page while this one is stored.
            async let following = page(marker)
            try await take(current, of: scope, in: .default)
            state.queries[key] = place
            try save(state)
            next = try await following
        }
        place.since = place.startedAt.map { max(0, $0) - Self.clockSkew }
        place.startedAt = nil
        place.filter = nil
        state.queries[key] = place
        try save(state)
    }

    // MARK: Custom zones

    private mutating func copyZones() async throws {
        try await findZones()
        for (name, place) in state.zones.sorted(by: { $0.key < $1.key }) where !place.isDone {
            try await copyZone(named: name)
        }
    }

    /// Notes which zones have something new, and deletes those that are gone.
    private mutating func findZones() async throws {
        let intake = intake(.private)
        if state.databaseToken == nil {
            let list = try await pages.service.send(.zonesList, to: .private, EmptyRequest())
            for item in try list.objects("zones") {
                guard
                    let zone = try item.object("zoneID").map({ object throws(JSONError) in
                        try ZoneID(json: object)
                    }), !zone.isDefault
                else { continue }
                state.zones[zone.zoneName, default: .init()].isDone = false
            }
        }
        var isMore = true
        while isMore {
            let found: (zones: [(ZoneID, isDeleted: Bool)], next: String?, isMore: Bool)
            do {
                found = try await pages.zones(after: state.databaseToken)
            } catch let error as ErrorDictionary where error.saysStartAgain && state.databaseToken != nil {
                state.databaseToken = nil
                continue
            }
            for (zone, isDeleted) in found.zones {
                if isDeleted {
                    state.zones[zone.zoneName] = nil
                    if try await intake.deleteZone(named: zone.zoneName) { counts.deletedZones += 1 }
                } else {
                    state.zones[zone.zoneName, default: .init()].isDone = false
                }
            }
            state.databaseToken = found.next
            isMore = found.isMore
            try save(state)
        }
    }

    private mutating func copyZone(named name: String) async throws {
        let zone = ZoneID(zoneName: name, ownerName: plan.identity?.there)
        try await intake(.private).makeZone(named: name)
        do {
            try await follow(zone)
        } catch let error as ErrorDictionary
            where error.saysStartAgain && state.zones[name]?.token != nil
        {
            // The feed has forgotten what was deleted since, so that is found out by name.
            state.zones[name] = .init()
            try await follow(zone)
            for type in target.store.schema(of: plan.tenant).types.keys.sorted() {
                try await deleteGone(type, of: .private, in: zone)
            }
        } catch let error as ErrorDictionary
            where error.serverErrorCode == ServiceError.Code.zoneNotFound.description
        {
            state.zones[name] = nil
            if try await intake(.private).deleteZone(named: name) { counts.deletedZones += 1 }
        }
        try save(state)
    }

    private mutating func follow(_ zone: ZoneID) async throws {
        let pages = pages
        var next = try await pages.changes(in: zone, after: state.zones[zone.zoneName]?.token)
        while true {
            let current = next
            let place = CopyState.ZonePlace(token: current.next, isDone: !current.isMoreComing)
            guard current.isMoreComing else {
                try await take(current, of: .private, in: zone)
                state.zones[zone.zoneName] = place
                return
            }
            async let following = pages.changes(in: zone, after: current.next)
            try await take(current, of: .private, in: zone)
            state.zones[zone.zoneName] = place
            try save(state)
            next = try await following
        }
    }

    // MARK: Pages

    func intake(_ scope: DatabaseScope) -> RecordIntake {
        RecordIntake(store: target.store, database: plan.database(scope), now: target.now)
    }

    func outlet(_ scope: DatabaseScope) -> RecordOutlet {
        RecordOutlet(store: target.store, database: plan.database(scope))
    }

    /// Stores a page with its files.
    private mutating func take(_ page: SourcePage, of scope: DatabaseScope, in zone: ZoneID) async throws {
        let intake = intake(scope)
        let pages = pages
        var outcome = IntakeOutcome()
        outcome.refusals = page.refusals
        let (known, unknown) = try await sorted(page.records, of: scope, in: zone)
        outcome.unchanged = known
        let resolved = try await files.resolve(unknown) { name in
            pages.read(try await pages.lookup([name], scope, in: zone)).records.first
        }
        var records: [IncomingRecord] = []
        var contents: Set<AssetContent> = []
        for item in resolved {
            counts.files += item.fetched
            counts.fileBytes += item.bytes
            if let refusal = item.refusal {
                outcome.refusals.append(.init(recordName: item.record.recordName, reason: refusal))
            } else {
                records.append(item.record)
                contents.formUnion(item.files)
            }
        }
        outcome += try await intake.take(records, into: zone.zoneName, files: contents)
        counts.add(outcome)
        counts.deleted += try await intake.delete(page.deleted, from: zone.zoneName)
        progress(counts)
    }

    /// How many records are here in the same version with all their files, and the others: a file whose digest is not
    /// known would else be fetched again to find out that it is the same.
    private func sorted(
        _ records: [IncomingRecord], of scope: DatabaseScope, in zone: ZoneID
    ) async throws -> (known: Int, unknown: [IncomingRecord]) {
        let names = records.filter(\.hasFiles).map(\.recordName)
        guard !names.isEmpty else { return (0, records) }
        let here = try await outlet(scope).records(named: names, in: zone.zoneName)
        let unknown = records.filter { record in
            here[ExactText(record.recordName)].map { record.isSameVersion(as: $0) } != true
        }
        return (records.count - unknown.count, unknown)
    }

    /// Deletes records here that the service does not know by their names any more.
    private mutating func deleteGone(
        _ type: String, of scope: DatabaseScope, in zone: ZoneID
    ) async throws {
        let outlet = outlet(scope)
        let intake = intake(scope)
        var position: ScanCursor?
        repeat {
            let page = try await outlet.page(
                ofType: type, in: zone.zoneName, after: position, limit: SourcePages.pageRecords)
            position = page.next
            let names = page.records.map(\.recordName)
            guard !names.isEmpty else { return }
            let gone = try await pages.missing(names, scope, in: zone)
            counts.deleted += try await intake.delete(gone, from: zone.zoneName)
            progress(counts)
        } while position != nil
    }
}

extension SourcePages {
    /// Which of these records the service does not have.
    func missing(_ names: [String], _ scope: DatabaseScope, in zone: ZoneID) async throws -> [String] {
        let items = try await lookup(names, scope, in: zone, desiredKeys: [])
        guard items.count == names.count else {
            throw JSONError.shape("The answer has \(items.count) records for \(names.count) names.")
        }
        return zip(names, items).compactMap { name, item in
            let error = ErrorDictionary(json: item)
            let isGone = error?.serverErrorCode == ServiceError.Code.notFound.description
            return isGone || item["deleted"]?.bool == true ? name : nil
        }
    }
}

extension IncomingRecord {
    /// Whether both are the same version of a record, by who changed it when.
    func isSameVersion(as other: IncomingRecord) -> Bool {
        recordType == other.recordType && created == other.created && modified == other.modified
            && parent == other.parent && fields.map(\.name) == other.fields.map(\.name)
    }
}

extension ErrorDictionary {
    /// Whether the service has no such record type.
    fileprivate var isMissingType: Bool {
        serverErrorCode == ServiceError.Code.notFound.description
            || reason?.contains("did not find required record type") == true
            || reason?.contains("Did not find record type") == true
    }

    /// Whether an index is missing.
    fileprivate var asksForIndex: Bool { reason?.contains("marked queryable") == true }
}
