import AssetStorageFiles
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Compares every file that the database knows with the one on disk; nothing is changed, and a server may run.
struct AssetVerification {
    /// A file that is not as the database says.
    struct Fault {
        var content: AssetContent
        var condition: AssetCondition
        /// Where the file belongs, below the data directory.
        var path: String
        /// Fields of records that refer to it: at most ``AssetVerification/holdersNamed``.
        var holders: [(tenant: Tenant, use: AssetUse)]
        /// How many there are.
        var uses: Int
    }

    /// What came of it.
    struct Report {
        /// How many files were looked at, and the bytes that they should have.
        var files = 0
        var bytes: Int64 = 0
        /// What is wrong; files that are missing and that nothing refers to are not.
        var faults: [Fault] = []
    }

    /// The most fields that are named for one file.
    static let holdersNamed = 20
    private static let pageSize = 1_000

    /// The data directory.
    let directory: String
    /// Whether every file is read, to see that it holds what its name says.
    let readsFiles: Bool
    /// Called with how much was looked at.
    var onProgress: (ProgressLine.Amount) -> Void = { _ in }

    /// - Throws: ``StorageError`` when the database cannot be read.
    func run() throws -> Report {
        let ledger = try AssetLedger(directory: directory)
        let paths = AssetPaths(root: directory + "/" + AssetPaths.folderName)
        let total = try ledger.totals().bytes
        var report = Report()
        var last: AssetDigest?
        while case let rows = try ledger.rows(after: last, limit: Self.pageSize), !rows.isEmpty {
            last = rows.last?.content.digest
            for row in rows {
                var read: Int64 = 0
                let condition = paths.condition(of: row.content, readsBytes: readsFiles) { count in
                    read += Int64(count)
                    onProgress(.init(done: report.bytes + read, total: total, records: report.files))
                }
                report.files += 1
                report.bytes += row.content.size
                // A running server may have removed an unused one after its row was read.
                guard condition != .good, condition != .missing || row.uses > 0 else { continue }
                report.faults.append(
                    Fault(
                        content: row.content, condition: condition,
                        path: paths.path(of: row.content.digest, below: directory),
                        holders: try ledger.holders(of: row.content.digest, limit: Self.holdersNamed),
                        uses: row.uses))
            }
        }
        return report
    }
}

extension AssetPaths {
    /// The path of a file as it is below a data directory, which is how a backup has it.
    fileprivate func path(of digest: AssetDigest, below directory: String) -> String {
        String(path(of: digest).dropFirst(directory.count).drop { $0 == "/" })
    }
}
