import AssetStorageFiles
import Crypto
import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Synchronization

/// Brings the files that a copied database knows to a store, but for those that it has.
struct AssetUpload: Sendable {
    private let objects: any ObjectStore
    private let prefix: String
    private let paths: AssetPaths
    private let progress: BackupProgress

    private static let pageSize = 200
    /// How many files are on their way at once.
    private static let lanes = 4

    init(
        _ objects: any ObjectStore, prefix: String, directory: String, progress: @escaping BackupProgress
    ) {
        self.objects = objects
        self.prefix = prefix
        paths = AssetPaths(root: directory + "/" + AssetPaths.folderName)
        self.progress = progress
    }

    /// - Parameters:
    ///   - database: the folder of the copied database.
    ///   - list: a file to write: the digests of all that the store has then.
    func run(database: String, list: String) async throws -> AssetFilesBackup.Outcome {
        var outcome = AssetFilesBackup.Outcome()
        var names = SHA256()
        let ledger = try await onOwnThread { try LedgerPages(database, limit: Self.pageSize) }
        let total = ledger.total
        var known = StoredNames(objects, prefix: prefix)
        let output = try ListFile(list)
        while case let rows = try await onOwnThread({ try ledger.next() }), !rows.isEmpty {
            var absent: [AssetRow] = []
            for row in rows {
                if try await known.size(of: row.content.digest.hex) == row.content.size {
                    outcome.sharedBytes += row.content.size
                } else {
                    absent.append(row)
                }
            }
            let missing = try await send(absent)
            for row in rows {
                let hex = row.content.digest.hex
                if missing.contains(row.content.digest) {
                    // What nothing refers to any more may have been swept meanwhile.
                    if row.uses > 0 { outcome.missing.append(hex) }
                    continue
                }
                outcome.count += 1
                outcome.bytes += row.content.size
                names.update(data: Data((hex + "\n").utf8))
                try output.write(hex)
            }
            progress(.files, outcome.count + outcome.missing.count, total)
        }
        try output.close()
        outcome.namesSHA256 = Array(names.finalize()).hex
        return outcome
    }

    /// - Returns: those that the data directory does not have as they should be.
    private func send(_ rows: [AssetRow]) async throws -> Set<AssetDigest> {
        try await withThrowingTaskGroup(of: AssetDigest?.self) { group in
            var missing: Set<AssetDigest> = []
            for (index, row) in rows.enumerated() {
                if index >= Self.lanes, let lost = try await group.next() ?? nil { missing.insert(lost) }
                group.addTask { try await send(row) ? nil : row.content.digest }
            }
            for try await lost in group { if let lost { missing.insert(lost) } }
            return missing
        }
    }

    private func send(_ row: AssetRow) async throws -> Bool {
        let digest = row.content.digest
        let path = paths.path(of: digest)
        let isGood = try await onOwnThread {
            guard Files.size(path) != nil else { return false }
            return try Files.read(path) == Files.Content(size: row.content.size, sha256: digest.hex)
        }
        guard isGood else { return false }
        try await objects.put(file: path, as: prefix + digest.hex)
        return true
    }
}

/// The files of a database, some at a time.
///
/// Reading blocks its thread, and whoever else asks meanwhile.
final class LedgerPages: Sendable {
    private struct Place: ~Copyable {
        let ledger: AssetLedger
        var last: AssetDigest?
    }

    private let place: Mutex<Place>
    private let limit: Int
    let total: Int

    init(_ directory: String, limit: Int) throws {
        let ledger = try AssetLedger(directory: directory)
        total = try ledger.totals().files
        self.limit = limit
        place = Mutex(Place(ledger: ledger))
    }

    func next() throws -> [AssetRow] {
        try place.withLock { place in
            let rows = try place.ledger.rows(after: place.last, limit: limit)
            place.last = rows.last?.content.digest ?? place.last
            return rows
        }
    }
}

/// The names that a store has, walked beside a list in the same order.
struct StoredNames {
    private let objects: any ObjectStore
    private let prefix: String
    private var page: ArraySlice<ObjectInfo> = []
    private var token: String?
    private var isAtEnd = false

    init(_ objects: any ObjectStore, prefix: String) {
        self.objects = objects
        self.prefix = prefix
    }

    /// The size of an object, nil where there is none. Names are asked for in their order.
    mutating func size(of name: String) async throws -> Int64? {
        while true {
            while let first = page.first, first.name.dropFirst(prefix.count) < name { page.removeFirst() }
            if let first = page.first { return first.name == prefix + name ? first.size : nil }
            guard !isAtEnd else { return nil }
            let next = try await objects.list(prefix, from: token)
            page = next.objects[...]
            token = next.next
            isAtEnd = token == nil
        }
    }
}

/// A file of lines that is written a little at a time.
final class ListFile {
    private let file: Int32
    private let path: String
    private var waiting: [UInt8] = []

    init(_ path: String) throws {
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BackupError.file("made", path) }
    }

    deinit { Foundation.close(file) }

    func write(_ line: String) throws {
        waiting += Array(line.utf8) + [10]
        if waiting.count > 1 << 16 { try close() }
    }

    /// Writes what waits.
    func close() throws {
        try waiting.withUnsafeBytes { try Files.write($0, to: file, path: path) }
        waiting = []
    }
}
