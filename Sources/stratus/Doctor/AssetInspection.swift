import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Compares the files of assets with what the database says of them.
struct AssetInspection {
    /// The data directory.
    let directory: String
    /// Whether every file is read, to see that it holds what its name says.
    let readsFiles: Bool

    /// Called with how much was looked at.
    var onProgress: (ProgressLine.Amount) -> Void = { _ in }

    private static let check = "asset-files"
    private static let strayCheck = "asset-strays"
    private static let remedy =
        "'stratus assets verify' names them, and the records that refer to them. \(AssetVerification.remedy)"

    /// What is wrong with the files.
    ///
    /// - Throws: ``StorageError`` when the database cannot be read.
    func findings() throws -> [StoreFinding] {
        let report = try AssetVerification(
            directory: directory, readsFiles: readsFiles, onProgress: onProgress
        ).run()
        var findings: [StoreFinding] = []
        for name in ["missing", "damaged", "unreadable"] {
            let faults = report.faults.filter { $0.name == name }
            guard let first = faults.first else { continue }
            findings.append(
                StoreFinding(
                    Self.check, .problem, "\(faults.count) files are \(name), for example \(first.path).",
                    remedy: Self.remedy))
        }
        if findings.isEmpty {
            findings.append(StoreFinding(Self.check, .good, report.text(readsFiles: readsFiles)))
        }
        return findings + [try strayFinding()]
    }

    /// Files that the database does not know; the server's sweep removes them in time.
    private func strayFinding() throws -> StoreFinding {
        // Two hours more than a server needs to remove them.
        let plan = try AssetSweepPlan(
            directory: directory, now: Clock.milliseconds,
            graceMilliseconds: (Int64(Limits.assetGraceSeconds) + 2 * 3_600) * 1_000)
        if plan.foreign.files > 0 {
            return StoreFinding(
                Self.strayCheck, .warning,
                "\(plan.foreign.files) files are older than everything the database knows.",
                remedy:
                    "If the database is not the one they belong to, restore the right one. If it is: stratus assets sweep --foreign"
            )
        }
        guard plan.unknown.files > 0 else {
            return StoreFinding(
                Self.strayCheck, .good, "No file has been unknown to the database for long.")
        }
        return StoreFinding(
            Self.strayCheck, .warning,
            "\(plan.unknown.files) files have been unknown to the database for more than two days.",
            remedy: "A running server removes them within an hour; without one: stratus assets sweep")
    }
}
