public import Foundation
internal import RecordModel
internal import RecordWire

/// Fetches which records of some zones changed.
///
/// The blocks for records and tokens come as pages are fetched; each zone ends with its own result block; the
/// result blocks of the operation come last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What came of one zone: where to go on, the data of the app that it has none of, and whether there is more.
    public typealias ZoneResult = Result<
        (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
    >

    /// The zones.
    open var recordZoneIDs: [CKRecordZone.ID]?
    /// What is wanted of each zone; a zone that is not named is fetched from the beginning.
    open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// What is wanted of each zone; the older name of ``configurationsByRecordZoneID``.
    @available(*, deprecated, renamed: "configurationsByRecordZoneID")
    open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }
    /// Whether pages are fetched until nothing is left; otherwise one page of each zone is.
    open var fetchAllChanges = true

    /// Called with each record that is new or changed.
    open var recordWasChangedBlock:
        ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    /// Called with each record that was deleted, and its type.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// Called after a page that is not the zone's last with where it ends.
    open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// Called once for each zone, after its records.
    open var recordZoneFetchResultBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ fetchChangesResult: ZoneResult) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchRecordZoneChangesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each record that is new or changed; the older form of ``recordWasChangedBlock``.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called once for each zone; the older form of ``recordZoneFetchResultBlock``.
    open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// Called once at the end; failures of single zones come as `CKError.partialFailure`.
    open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation without zones, to be set before it is added.
    override public init() {}

    /// Makes an operation for zones.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    override func work() async {
        do throws(CKError) {
            let errors = try await fetch(from: target)
            fetchRecordZoneChangesResultBlock?(.success(()))
            fetchRecordZoneChangesCompletionBlock?(errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            fetchRecordZoneChangesResultBlock?(.failure(error))
            fetchRecordZoneChangesCompletionBlock?(error)
        }
    }

    private typealias Wanted = (zoneID: CKRecordZone.ID, wish: ZoneChangesRequest)

    /// Fetches page after page and gives the errors of single zones.
    private func fetch(from database: CKDatabase) async throws(CKError) -> [AnyHashable: any Error] {
        var errors: [AnyHashable: any Error] = [:]
        var waiting: [Wanted] = (recordZoneIDs ?? []).map { ($0, wish(for: $0)) }
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Limits.itemsPerRequest))
            var unfinished: [Wanted] = []
            let pages = try await database.zoneChangesPages(batch, options: requestOptions)
            for (wanted, page) in zip(batch, pages) {
                guard !Task.isCancelled else { throw CKError(any: CancellationError()) }
                switch page.result {
                case .failure(let error):
                    errors[page.zoneID] = error
                    end(page.zoneID, .failure(error))
                case .success(let changes):
                    report(changes.events)
                    if let error = untold(changes.events) {
                        // The app would keep the token, and never hear of the record.
                        errors[page.zoneID] = error
                        end(page.zoneID, .failure(error))
                    } else if changes.moreComing, fetchAllChanges {
                        recordZoneChangeTokensUpdatedBlock?(page.zoneID, changes.token, nil)
                        var next = wanted
                        next.wish.syncToken = changes.token.text
                        unfinished.append(next)
                    } else {
                        end(page.zoneID, .success((changes.token, nil, changes.moreComing)))
                    }
                }
            }
            waiting = unfinished + waiting.dropFirst(batch.count)
        }
        return errors
    }

    private func wish(for zoneID: CKRecordZone.ID) -> ZoneChangesRequest {
        let configuration = configurationsByRecordZoneID?[zoneID]
        return ZoneChangesRequest(
            zoneID: zoneID.wire, syncToken: configuration?.previousServerChangeToken?.text,
            desiredKeys: configuration?.desiredKeys,
            resultsLimit: configuration.flatMap { $0.resultsLimit > 0 ? $0.resultsLimit : nil })
    }

    /// Why a record could not be told of, whose file did not arrive for example: the older block has no word for that.
    private func untold(_ events: [CKDatabase.ZoneEvent]) -> (any Error)? {
        guard recordWasChangedBlock == nil, recordChangedBlock != nil else { return nil }
        for case .changed(_, .failure(let error)) in events { return error }
        return nil
    }

    private func report(_ events: [CKDatabase.ZoneEvent]) {
        for event in events {
            switch event {
            case .changed(let recordID, let result):
                recordWasChangedBlock?(recordID, result)
                if case .success(let record) = result { recordChangedBlock?(record) }
            case .deleted(let recordID, let type): recordWithIDWasDeletedBlock?(recordID, type)
            }
        }
    }

    private func end(_ zoneID: CKRecordZone.ID, _ result: ZoneResult) {
        recordZoneFetchResultBlock?(zoneID, result)
        switch result {
        case .success(let (token, data, moreComing)):
            recordZoneFetchCompletionBlock?(zoneID, token, data, moreComing, nil)
        case .failure(let error): recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
        }
    }
}
