import AssetStorageFiles
import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Compares the files of assets with what the database says of them.
struct AssetInspection {
    /// The data directory.
    let directory: String
    /// Whether every file is read, to see that it holds what its name says.
    let readsFiles: Bool

    private static let pageSize = 1_000
    private static let pieceBytes = 1_048_576
    private static let restoreRemedy =
        "Restore these files from the backup: they are below \(AssetPaths.folderName)/ under their names."

    private var paths: AssetPaths { AssetPaths(root: directory + "/" + AssetPaths.folderName) }

    /// What is wrong with the files.
    ///
    /// - Throws: ``StorageError`` when the database cannot be read.
    func findings() throws -> [StoreFinding] {
        let ledger = try AssetLedger(directory: directory)
        var findings: [StoreFinding] = []
        var missing: [AssetDigest] = []
        var damaged: [AssetDigest] = []
        var count = 0
        var bytes: Int64 = 0
        var last: AssetDigest?
        while case let rows = try ledger.rows(after: last, limit: Self.pageSize), !rows.isEmpty {
            last = rows.last?.content.digest
            for row in rows {
                count += 1
                bytes += row.content.size
                // A running server may have removed an unused one after its row was read.
                guard let size = size(of: row.content.digest) else {
                    if row.uses > 0 { missing.append(row.content.digest) }
                    continue
                }
                if size != row.content.size || readsFiles && !isWhole(row.content.digest) {
                    damaged.append(row.content.digest)
                }
            }
        }
        if let first = missing.first {
            findings.append(
                StoreFinding(
                    "asset-files", .problem,
                    "\(missing.count) files that records refer to are missing, for example \(first).",
                    remedy: Self.restoreRemedy))
        }
        if let first = damaged.first {
            findings.append(
                StoreFinding(
                    "asset-files", .problem, "\(damaged.count) files are damaged, for example \(first).",
                    remedy: Self.restoreRemedy))
        }
        if findings.isEmpty {
            let read = readsFiles ? ", and hold what their names say" : ""
            findings.append(
                StoreFinding(
                    "asset-files", .good,
                    "\(count) files with \(Format.bytes(bytes)) are in place\(read)."))
        }
        return findings + [try strayFinding(ledger)]
    }

    /// Files that the database does not know; the server's sweep removes them in time.
    private func strayFinding(_ ledger: AssetLedger) throws -> StoreFinding {
        var strays = 0
        var old = 0
        var last: AssetDigest?
        let before = Date(timeIntervalSinceNow: -Double(Limits.assetGraceSeconds) - 2 * 3_600)
        while case let page = paths.digests(after: last, limit: Self.pageSize), !page.isEmpty {
            last = page.last
            for digest in page {
                guard try !ledger.contains(digest) else { continue }
                strays += 1
                let attributes = try? FileManager.default.attributesOfItem(atPath: paths.path(of: digest))
                if let date = attributes?[.modificationDate] as? Date, date < before { old += 1 }
            }
        }
        let check = "asset-strays"
        if strays == 0 { return StoreFinding(check, .good, "Every file is known to the database.") }
        if old == 0 {
            return StoreFinding(
                check, .good, "\(strays) files are on their way in, or wait for the server to remove them.")
        }
        return StoreFinding(
            check, .warning, "\(old) files have been unknown to the database for more than two days.",
            remedy: "A running server removes them within an hour.")
    }

    private func size(of digest: AssetDigest) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: paths.path(of: digest))
        return (attributes?[.size] as? NSNumber)?.int64Value
    }

    private func isWhole(_ digest: AssetDigest) -> Bool {
        guard let file = FileHandle(forReadingAtPath: paths.path(of: digest)) else { return false }
        defer { try? file.close() }
        var hasher = SHA256()
        while let piece = try? file.read(upToCount: Self.pieceBytes), !piece.isEmpty {
            hasher.update(data: piece)
        }
        return Array(hasher.finalize()) == digest.bytes
    }
}
