internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// What became of one record.
    enum ModifyOutcome {
        case saved(CKRecord, Result<CKRecord, any Error>)
        case deleted(CKRecord.ID, Result<Void, any Error>)
    }

    /// Sends a plan's files, and then its requests one after the other.
    ///
    /// - Parameters:
    ///   - onProgress: how much of a record's files went out, below 1; called one at a time.
    ///   - onOutcome: called once for each record, one at a time.
    /// - Throws: why a request failed as a whole; the records of it and of those after it have been reported
    ///   with the same error.
    func run(
        _ draft: ModifyPlan, options: ServiceClient.Options,
        onProgress: (CKRecord, Double) -> Void = { _, _ in }, onOutcome: (ModifyOutcome) -> Void
    ) async throws(CKError) {
        var plan = draft
        let refused = Set(draft.refused.map(\.item.recordID))
        let files = draft.files.filter { !refused.contains($0.record.recordID) }
        if !files.isEmpty {
            do throws(CKError) {
                let results = try await upload(files, options: options, onProgress: onProgress)
                plan = try draft.resolved(results)
            } catch {
                for item in draft.items { onOutcome(outcome(item, .failure(error))) }
                throw error
            }
        }
        for (item, error) in plan.refused { onOutcome(outcome(item, .failure(error))) }
        var failure: CKError?
        for batch in plan.batches {
            if let failure {
                for item in batch.items { onOutcome(outcome(item, .failure(failure))) }
                continue
            }
            do {
                let answer: RecordsResponse = try await client.send(
                    .recordsModify, in: databaseScope.model, body: batch.body,
                    isWrite: true, options: options, as: RecordsResponse.self)
                report(batch, answer, to: onOutcome)
            } catch {
                for item in batch.items { onOutcome(outcome(item, .failure(error))) }
                // A zone that is not there says nothing about the other zones.
                if error.code != .zoneNotFound { failure = error }
            }
        }
        if let failure { throw failure }
    }

    private func report(
        _ batch: ModifyPlan.Batch, _ answer: RecordsResponse, to onOutcome: (ModifyOutcome) -> Void
    ) {
        for (index, item) in batch.items.enumerated() {
            guard answer.records.indices.contains(index) else {
                let error = CKError(.internalError, "The service's answer leaves out the record.")
                onOutcome(outcome(item, .failure(error)))
                continue
            }
            switch answer.records[index] {
            case .success(let wire): onOutcome(outcome(item, .success(wire)))
            case .failure(let error): onOutcome(outcome(item, .failure(itemError(error, item))))
            }
        }
    }

    private func outcome(
        _ item: ModifyPlan.Item, _ result: Result<RecordDictionary, CKError>
    ) -> ModifyOutcome {
        switch (item, result) {
        case (.save(let record, let sent), .success(let wire)):
            record.adoptSaved(wire, sent: sent, in: self)
            return .saved(record, .success(record))
        case (.save(let record, _), .failure(let error)): return .saved(record, .failure(error))
        case (.delete(let recordID), .success): return .deleted(recordID, .success(()))
        case (.delete(let recordID), .failure(let error)): return .deleted(recordID, .failure(error))
        }
    }

    /// The error of one record; a conflict brings the three versions of it.
    private func itemError(_ wire: ErrorDictionary, _ item: ModifyPlan.Item) -> CKError {
        let error = CKError(wire)
        guard error.code == .serverRecordChanged, case .save(let record, _) = item else { return error }
        var info: [String: Any] = [:]
        info[CKRecordChangedErrorClientRecordKey] = record.copy() as? CKRecord
        info[CKRecordChangedErrorAncestorRecordKey] = record.ancestor
        if let json = wire.serverRecord, let server = try? RecordDictionary(json: json) {
            info[CKRecordChangedErrorServerRecordKey] = CKRecord.from(
                server, zoneID: record.recordID.zoneID, in: self)
        }
        return CKError(wire, userInfo: info)
    }
}
