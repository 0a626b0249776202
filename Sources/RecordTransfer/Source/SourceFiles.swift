import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TemporaryFiles

/// Brings the files of records from a service into the place of files.
///
/// Each is written and synced before it gets its name, and its length is compared with what the record says, its SHA-256
/// as well where the record has that: Stratus's do, Apple's have a digest of a kind that is not documented.
struct SourceFiles: Sendable {
    let service: any SourceService
    let store: any AssetStore
    let scratch: ScratchDirectory

    /// Longer files are refused: Apple documents 50 MB, and Stratus's limit is the one that counts here.
    private static let maximumBytes = Int64(Limits.assetBytes)
    private static let chunkBytes = 1 << 20
    /// How often a file is fetched whose length or content is not what the record says.
    static let attempts = 5
    private static let concurrency = 4

    /// How long to wait after so many attempts.
    static func pause(after attempt: Int) -> Duration { .milliseconds(400 << attempt) }

    /// What came of a record's files.
    struct Outcome: Sendable {
        var record: IncomingRecord
        var files: Set<AssetContent> = []
        /// The bytes that were fetched now.
        var bytes: Int64 = 0
        var fetched = 0
        /// Why the record cannot be kept.
        var refusal: String?
    }

    /// Gets the files of records, several at a time.
    ///
    /// - Parameter refresh: asks for a record again, whose addresses of files have ended.
    func resolve(
        _ records: [IncomingRecord],
        refresh: @escaping @Sendable (String) async throws -> IncomingRecord?
    ) async throws -> [Outcome] {
        var outcomes: [Outcome?] = Array(repeating: nil, count: records.count)
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var running = 0
            for (index, record) in records.enumerated() {
                guard record.hasFiles else {
                    outcomes[index] = Outcome(record: record)
                    continue
                }
                if running == Self.concurrency, let (done, outcome) = try await group.next() {
                    outcomes[done] = outcome
                    running -= 1
                }
                running += 1
                group.addTask { (index, try await resolve(record, refresh)) }
            }
            for try await (done, outcome) in group { outcomes[done] = outcome }
        }
        return outcomes.compactMap { $0 }
    }

    private func resolve(
        _ record: IncomingRecord, _ refresh: @Sendable (String) async throws -> IncomingRecord?
    ) async throws -> Outcome {
        do {
            return try await fetchFiles(of: record)
        } catch let error as ErrorDictionary where error.saysGone {
            // Addresses end; the record has new ones.
            guard let again = try await refresh(record.recordName) else {
                return Outcome(record: record, refusal: "A file of it is gone: \(error)")
            }
            do {
                return try await fetchFiles(of: again)
            } catch let error as ErrorDictionary {
                return Outcome(record: record, refusal: "A file of it cannot be fetched: \(error)")
            }
        } catch let error as ErrorDictionary {
            return Outcome(record: record, refusal: "A file of it cannot be fetched: \(error)")
        }
    }

    private func fetchFiles(of record: IncomingRecord) async throws -> Outcome {
        var outcome = Outcome(record: record)
        for index in record.fields.indices {
            switch record.fields[index].value {
            case .asset(let asset):
                outcome.record.fields[index].value = .asset(try await fetch(asset, &outcome))
            case .list(let elements, of: .asset):
                var files: [FieldValue] = []
                for case .asset(let asset) in elements {
                    files.append(.asset(try await fetch(asset, &outcome)))
                }
                outcome.record.fields[index].value = .list(files, of: .asset)
            default: continue
            }
            if outcome.refusal != nil { break }
        }
        return outcome
    }

    private func fetch(_ asset: Asset, _ outcome: inout Outcome) async throws -> Asset {
        let known = AssetDigest(checksum: asset.fileChecksum)
        if let known, let file = try await store.open(known), file.size == asset.size || asset.size == 0 {
            let content = AssetContent(digest: known, size: file.size)
            outcome.files.insert(content)
            return Asset(content)
        }
        guard let url = asset.downloadURL else {
            outcome.refusal = "A file of it has no address to fetch it from."
            return asset
        }
        // A name for whoever saves the file; the address says where it goes.
        let address = url.replacingOccurrences(of: "${f}", with: "file")
        for attempt in 1...Self.attempts {
            if attempt > 1 { try await Task.sleep(for: Self.pause(after: attempt - 1)) }
            let file = try TemporaryFile(in: scratch)
            // The transfer makes the file itself.
            file.remove()
            try await service.download(address, to: file.url.path, maximumBytes: Self.maximumBytes)
            let content = try await place(file.url.path, expecting: asset.size, known)
            guard let content else { continue }
            outcome.files.insert(content)
            outcome.fetched += 1
            outcome.bytes += content.size
            return Asset(content)
        }
        outcome.refusal =
            "One of its files came \(Self.attempts) times with a length or content other than the record says."
        return asset
    }

    /// Puts a file into its place; nil where it is not what the record says.
    private func place(
        _ path: String, expecting size: Int64, _ known: AssetDigest?
    ) async throws -> AssetContent? {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let writer = try await store.beginUpload()
        do {
            while let data = try handle.read(upToCount: Self.chunkBytes), !data.isEmpty {
                try await writer.write(ByteBuffer(bytes: data))
            }
            let content = try await writer.finish()
            guard size == 0 || content.size == size, known == nil || known == content.digest else {
                await writer.abandon()
                return nil
            }
            try await writer.place()
            return content
        } catch {
            await writer.abandon()
            throw error
        }
    }
}

extension IncomingRecord {
    /// Whether a field holds a file.
    var hasFiles: Bool { fields.contains { $0.value.type?.scalar == .asset } }
}

extension ErrorDictionary {
    /// Whether an address of a file has ended, or the file is not there.
    fileprivate var saysGone: Bool {
        ["HTTP_403", "HTTP_404", "HTTP_410", "NOT_FOUND", "ACCESS_DENIED"].contains(serverErrorCode)
    }
}
