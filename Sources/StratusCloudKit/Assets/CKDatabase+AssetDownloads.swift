internal import Foundation
internal import RecordModel
internal import TemporaryFiles

extension CKDatabase {
    /// Gets the files of records that were fetched, a few at once, and hands the records on in their order.
    ///
    /// A record whose file cannot be had becomes a failure; the others come all the same.
    /// - Parameters:
    ///   - onProgress: how much of a record's files is here, below 1.
    ///   - onMatch: called once for each record, one at a time.
    /// - Throws: when the task was cancelled.
    func deliver(
        _ matches: [MatchResult], options: ServiceClient.Options,
        onProgress: (CKRecord.ID, Double) -> Void = { _, _ in }, onMatch: (MatchResult) -> Void
    ) async throws(CKError) {
        guard matches.contains(where: Self.hasFiles) else {
            for match in matches {
                guard !Task.isCancelled else { throw CKError(any: CancellationError()) }
                onMatch(match)
            }
            return
        }
        await TransferQueue.run(
            matches, perform: { match, progress in await self.withFiles(match, options, progress) },
            onProgress: { index, fraction in
                if !Task.isCancelled { onProgress(matches[index].0, fraction) }
            },
            onOutcome: { _, match in if !Task.isCancelled { onMatch(match) } })
        guard !Task.isCancelled else { throw CKError(any: CancellationError()) }
    }

    private static func hasFiles(_ match: MatchResult) -> Bool {
        guard case .success(let record) = match.1 else { return false }
        return record.snapshot.values.values.contains { !$0.assets.isEmpty }
    }

    private func withFiles(
        _ match: MatchResult, _ options: ServiceClient.Options,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async -> MatchResult {
        guard case .success(let record) = match.1, Self.hasFiles(match) else { return match }
        do throws(CKError) {
            try await fetchFiles(of: record, options, progress)
            return match
        } catch {
            return (match.0, .failure(error))
        }
    }

    private func fetchFiles(
        of record: CKRecord, _ options: ServiceClient.Options,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws(CKError) {
        let values = record.snapshot.values.filter { !$0.value.assets.isEmpty }.sorted { $0.key < $1.key }
        let meter = ProgressMeter(
            sizes: values.flatMap { $0.value.assets.map { $0.uploaded?.size ?? 0 } }, tell: progress)
        var number = 0
        for (key, value) in values {
            var fetched: [CKAsset] = []
            for asset in value.assets {
                let index = number
                number += 1
                guard let uploaded = asset.uploaded else { continue }
                let file = try await file(of: uploaded, field: key, options: options) {
                    meter.note($0, ofFile: index)
                }
                fetched.append(CKAsset(uploaded: uploaded, origin: asset.origin, file: file))
            }
            guard case .assets(_, let isList) = value else { continue }
            let withFiles = RecordValue.assets(fetched, isList: isList)
            record.mutate { state in
                state.values[key] = withFiles
                state.base[key] = withFiles
            }
        }
    }

    /// Gives a file with the content of an asset: copied from one that somebody holds, or downloaded.
    private func file(
        of asset: Asset, field: CKRecord.FieldKey, options: ServiceClient.Options,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> TemporaryFile {
        if let copy = try client.assets.copy(of: asset) { return copy }
        guard let template = asset.downloadURL else {
            throw CKError(
                .assetNotAvailable, "The service gives no address for the asset of field '\(field)'.")
        }
        let name = field.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "file"
        let address = template.replacing("${f}", with: name)
        var attempts = 0
        while true {
            attempts += 1
            var latest: TemporaryFile?
            var failure: CKError?
            do throws(CKError) {
                try await client.download(
                    from: address, size: asset.size, options: options, progress: progress
                ) { () throws(CKError) -> URL in
                    let file = try client.assets.newFile()
                    latest = file
                    return file.url
                }
                if let latest, FileDigest.isWhole(latest.url, asset) {
                    return client.assets.keep(latest, of: asset)
                }
            } catch {
                failure = error
            }
            // What cleans up temporary files may have come by.
            let isLost = latest.map { Self.isLost($0, isWritten: failure == nil) } ?? false
            guard isLost, attempts < Self.downloadAttempts else {
                throw failure
                    ?? CKError(
                        .assetNotAvailable, "The asset of field '\(field)' arrived incomplete.",
                        remedy: "Fetch the record again.")
            }
        }
    }

    /// How often a file is downloaded that is removed while it comes.
    private static let downloadAttempts = 3

    /// Whether somebody removed a file that was written, or the folder of one that was not.
    private static func isLost(_ file: TemporaryFile, isWritten: Bool) -> Bool {
        let url = isWritten ? file.url : file.url.deletingLastPathComponent()
        return !FileManager.default.fileExists(atPath: url.path)
    }
}
