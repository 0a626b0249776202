internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// Brings the files of records to the service: those it has are copied there, the others sent, a few at once.
    ///
    /// - Parameter onProgress: how much of a record's files went out, below 1; called one at a time.
    /// - Throws: why no file could be sent. What went wrong with one record is in the results.
    func upload(
        _ records: [RecordFiles], options: ServiceClient.Options, onProgress: (CKRecord, Double) -> Void
    ) async throws(CKError) -> AssetResults {
        var results = AssetResults()
        var unsent: [(recordID: CKRecord.ID, files: [UploadBatch.File])] = []
        for record in records {
            do throws(CKError) {
                let files = try await filesToSend(of: record, &results, options)
                if !files.isEmpty { unsent.append((record.record.recordID, files)) }
            } catch {
                guard error.code != .operationCancelled else { throw error }
                results.failures[record.record.recordID] = error
            }
        }
        let recordsByID = Dictionary(
            records.map { ($0.record.recordID, $0.record) }, uniquingKeysWith: { first, _ in first })
        for batch in UploadBatch.divide(unsent) {
            try await send(batch, &results, options) { recordID, fraction in
                if let record = recordsByID[recordID] { onProgress(record, fraction) }
            }
        }
        return results
    }

    /// Copies what the service has, and looks at the files that are left.
    private func filesToSend(
        of record: RecordFiles, _ results: inout AssetResults, _ options: ServiceClient.Options
    ) async throws(CKError) -> [UploadBatch.File] {
        var files: [UploadBatch.File] = []
        for item in record.items {
            if let origin = item.copied, let copy = try await rereferenced(item.asset, from: origin, options)
            {
                results.assets[item.slot] = copy
                continue
            }
            guard let url = item.asset.fileURL else {
                throw CKError(
                    .assetNotAvailable,
                    "The asset for field '\(item.slot.field)' is in another place of the service, and its file is "
                        + "not on this machine.",
                    remedy: "Fetch the record that it comes from with that field first.")
            }
            files.append(
                UploadBatch.File(
                    slot: item.slot, recordType: record.record.recordType, url: url, state: try FileState(url)
                ))
        }
        return files
    }

    /// The dictionary of a file that another record has; nil where the service does not give it, or where that
    /// record has another file now.
    private func rereferenced(
        _ asset: CKAsset, from origin: CKAsset.Origin, _ options: ServiceClient.Options
    ) async throws(CKError) -> Asset? {
        let zoneID = origin.recordID.zoneID
        let request = AssetsRereferenceRequest(
            assets: [.init(recordName: origin.recordID.recordName, fieldName: origin.field)],
            zoneID: zoneID.named(in: databaseScope))
        do throws(CKError) {
            let answer: AssetsRereferenceResponse = try await post(
                .assetsRereference, request, options: options)
            let files = (try? answer.assets.first?.get()) ?? []
            return files.first { $0.fileChecksum == asset.uploaded?.fileChecksum }
        } catch {
            // The record may be gone while its file is still here: then it is sent.
            guard [.unknownItem, .zoneNotFound, .invalidArguments].contains(error.code) else { throw error }
            return nil
        }
    }

    private func send(
        _ batch: UploadBatch, _ results: inout AssetResults, _ options: ServiceClient.Options,
        onProgress: (CKRecord.ID, Double) -> Void
    ) async throws(CKError) {
        let files = batch.records.flatMap(\.files)
        let request = AssetsUploadRequest(
            tokens: files.map {
                .init(
                    recordName: $0.slot.recordID.recordName, recordType: $0.recordType,
                    fieldName: $0.slot.field)
            }, zoneID: batch.zoneID.named(in: databaseScope))
        let answer: AssetsUploadResponse
        do throws(CKError) {
            answer = try await post(.assetsUpload, request, options: options)
        } catch {
            // A zone that is not there says nothing about the other zones.
            guard error.code == .zoneNotFound else { throw error }
            for record in batch.records { results.failures[record.recordID] = error }
            return
        }
        var addresses: [FileSlot: Result<String, CKError>] = [:]
        for (file, token) in zip(files, answer.tokens) {
            addresses[file.slot] = token.map(\.url).mapError { CKError($0) }
        }
        var outcomes: [(CKRecord.ID, Result<[FileSlot: Asset], CKError>)] = []
        await TransferQueue.run(
            batch.records,
            perform: { [addresses] record, progress in
                await self.send(record.files, to: addresses, options, progress)
            },
            onProgress: { onProgress(batch.records[$0].recordID, $1) },
            onOutcome: { outcomes.append((batch.records[$0].recordID, $1)) })
        guard !Task.isCancelled else { throw CKError(any: CancellationError()) }
        for (recordID, outcome) in outcomes {
            switch outcome {
            case .success(let assets): results.assets.merge(assets) { $1 }
            case .failure(let error): results.failures[recordID] = error
            }
        }
    }

    /// Sends the files of one record, one after the other.
    private func send(
        _ files: [UploadBatch.File], to addresses: [FileSlot: Result<String, CKError>],
        _ options: ServiceClient.Options, _ progress: @escaping @Sendable (Double) -> Void
    ) async -> Result<[FileSlot: Asset], CKError> {
        let meter = ProgressMeter(sizes: files.map(\.state.size), tell: progress)
        var assets: [FileSlot: Asset] = [:]
        do throws(CKError) {
            for (index, file) in files.enumerated() {
                guard let address = addresses[file.slot] else {
                    throw CKError(.internalError, "The service's answer leaves out the address for a file.")
                }
                let asset = try await send(file, to: address.get(), options) {
                    meter.note($0, ofFile: index)
                }
                assets[file.slot] = asset
            }
        } catch {
            return .failure(error)
        }
        return .success(assets)
    }

    /// Sends one file.
    ///
    /// - Throws: `assetFileNotFound` and `assetFileModified` where somebody removed or changed it meanwhile.
    private func send(
        _ file: UploadBatch.File, to address: String, _ options: ServiceClient.Options,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> Asset {
        let asset: Asset
        do {
            asset = try await client.upload(file.url, to: address, options: options, progress: progress)
        } catch {
            // Why a file cannot be read is no fault of the service or of the network; the file says it better.
            if error.code == .internalError { try Self.checkUnchanged(file) }
            throw error
        }
        try Self.checkUnchanged(file)
        guard asset.size == file.state.size else { throw Self.modified(file) }
        return asset
    }

    private static func checkUnchanged(_ file: UploadBatch.File) throws(CKError) {
        guard try FileState(file.url) == file.state else { throw modified(file) }
    }

    private static func modified(_ file: UploadBatch.File) -> CKError {
        CKError(
            .assetFileModified, "The file '\(file.url.path)' changed while it was sent.",
            remedy: "Leave an asset's file alone until its record is saved.")
    }
}
