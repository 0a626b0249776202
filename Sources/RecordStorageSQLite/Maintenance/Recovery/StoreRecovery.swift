import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess

/// Takes what can be had of a damaged store into a new directory; the old one is only read.
///
/// The log is applied as its format says: first with what comes after a damage, as long as the database that comes of it
/// is sound, else up to the damage. A database that is damaged itself is copied row by row.
public struct StoreRecovery {
    /// Is told what is done, and how much of it.
    public typealias Progress = (_ what: String, _ done: Int, _ total: Int) -> Void

    private let source: String
    private let target: String
    private let progress: Progress
    private var report: RecoveryReport

    private var sourceFile: String { source + "/" + SQLiteStore.fileName }
    private var targetFile: String { target + "/" + SQLiteStore.fileName }

    /// Recovers the store of a directory.
    ///
    /// - Parameters:
    ///   - directory: the data directory whose store is damaged; it is left as it is.
    ///   - target: a directory that does not exist, or is empty.
    ///   - progress: is told what is done, and how far.
    /// - Throws: `StorageError`: a server is running, the target is in use, or nothing can be read.
    public static func run(
        directory: String, to target: String, progress: @escaping Progress = { _, _, _ in }
    ) throws -> RecoveryReport {
        guard !DirectoryLock.isHeld(directory: directory) else { throw StorageError.locked(path: directory) }
        let files = FileManager.default
        // A directory that cannot be listed is made below, or is an error there.
        guard ((try? files.contentsOfDirectory(atPath: target)) ?? []).isEmpty else {
            throw StorageError.engine("The directory \(target) is not empty; name one that is new.")
        }
        guard files.fileExists(atPath: directory + "/" + SQLiteStore.fileName) else {
            throw StorageError.engine("There is no \(SQLiteStore.fileName) in \(directory).")
        }
        do {
            try files.createDirectory(
                atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            var recovery = StoreRecovery(
                source: directory, target: target, progress: progress,
                report: RecoveryReport(source: directory, target: target))
            return try recovery.recover()
        } catch let error as StorageError { throw error } catch {
            throw StorageError.engine("The directory \(target) cannot be written.", error)
        }
    }

    private mutating func recover() throws -> RecoveryReport {
        try applyLog()
        if try !isSound(thorough: false) { try salvageRows() }
        let connection = try Connection(lookingAt: targetFile, isServed: false)
        defer { connection.close() }
        report.lastSequence = try connection.meta(.sequence)
        try copyBeside()
        return report
    }

    // MARK: The log

    private mutating func applyLog() throws {
        try copyDatabase()
        guard let pageBytes = try DatabaseHeader.pageBytes(ofFileAt: sourceFile) else {
            throw StorageError.engine("\(sourceFile) is too short for a database.")
        }
        guard let file = try LogFile(path: sourceFile + "-wal") else {
            report.notes.append("There is no log.")
            return
        }
        let progress = progress
        let log = try file.contents(databasePageBytes: pageBytes) {
            progress("Reading the log", $0, $1)
        }
        report.commitsInLog = log.frames[..<log.soundCount].count { $0.commitPages > 0 }
        report.commitsAfterDamage = log.commitsBeyond.count
        if log.endsTorn {
            report.notes.append(
                "The log ends with an incomplete commit, which was never acknowledged, unless the file was damaged there."
            )
        }
        guard let damage = log.damage, let last = log.commitsBeyond.last else {
            try LogReplay(file, log).apply(Array(0..<log.soundCount), to: targetFile)
            report.notes.append("\(report.commitsInLog) commits of the log were applied.")
            return
        }
        try applyBeyond(file, log, damage, last)
    }

    private mutating func applyBeyond(
        _ file: LogFile, _ log: LogFile.Contents, _ damage: Int, _ last: Int
    ) throws {
        let whole = (0...last).filter { log.frames[$0].isWhole || $0 < log.soundCount }
        let newest = Dictionary(whole.map { (log.frames[$0].page, $0) }, uniquingKeysWith: max)
        let replay = LogReplay(file, log)
        // A page that was written again after the damage is as it was; of others only the state before is known.
        let lost = (damage...last).filter { index in
            !log.frames[index].isWhole && newest[log.frames[index].page].map { $0 < index } ?? true
        }
        report.damagedPages = Set(lost.map { log.frames[$0].page }).sorted()
        try replay.apply(whole, to: targetFile)
        if try isSound(thorough: !lost.isEmpty) {
            report.commitsTakenOver = report.commitsAfterDamage
            report.isComplete = lost.isEmpty
            report.notes.append(
                "\(report.commitsAfterDamage) commits after the damage were applied as well"
                    + (lost.isEmpty ? "; what was damaged had been written again after it." : "."))
            return
        }
        // The damage may be in a text: then the page as it is still fits the others.
        try copyDatabase()
        try replay.apply(Array(0...last), to: targetFile)
        report.isComplete = false
        if try isSound(thorough: true) {
            report.commitsTakenOver = report.commitsAfterDamage
            report.notes.append(
                "\(report.commitsAfterDamage) commits after the damage were applied, with damaged pages as they are: look at the records."
            )
            return
        }
        try copyDatabase()
        try replay.apply(Array(0..<log.soundCount), to: targetFile)
        report.notes.append(
            "\(report.commitsAfterDamage) commits after the damage do not fit without what is damaged, and were left out."
        )
    }

    private func copyDatabase() throws {
        let files = FileManager.default
        if files.fileExists(atPath: targetFile) { try files.removeItem(atPath: targetFile) }
        progress("Copying the database", 0, 1)
        try files.copyItem(atPath: sourceFile, toPath: targetFile)
        progress("Copying the database", 1, 1)
    }

    /// Whether what was made is a whole database that agrees with itself.
    private func isSound(thorough: Bool) throws -> Bool {
        progress("Checking what was made", 0, 1)
        let depth = StoreInspection.Depth(checksIndexes: true, sampledRecords: thorough ? 1_000_000_000 : 100)
        do {
            let findings = try StoreInspection.run(directory: target, depth: depth)
            let damage = findings.filter { thorough || $0.check == "integrity" || $0.check == "layout" }
            return damage.allSatisfy { $0.severity != .problem }
        } catch is StorageError {
            return false
        }
    }

    // MARK: Row by row

    private mutating func salvageRows() throws {
        report.isComplete = false
        let image = target + "/damaged.sqlite"
        try FileManager.default.moveItem(atPath: targetFile, toPath: image)
        let salvage = RowSalvage(image: image, target: targetFile, progress: progress)
        let (tables, notes) = try salvage.run()
        report.tables = tables
        report.notes.append(
            "The database itself is damaged; its rows were copied as far as they can be read.")
        report.notes += notes
        report.notes += try StoreRepair.run(directory: target)
        report.notes.append("damaged.sqlite is the database with its log, as it was.")
    }

    // MARK: What lies beside

    /// The secret is copied; files of assets are linked, or copied where they cannot be.
    private mutating func copyBeside() throws {
        let files = FileManager.default
        let secret = "stratus.secret"
        if files.fileExists(atPath: source + "/" + secret) {
            try files.copyItem(atPath: source + "/" + secret, toPath: target + "/" + secret)
        }
        let assets = source + "/assets"
        guard let walk = files.enumerator(atPath: assets) else { return }
        var count = 0
        while let name = walk.nextObject() as? String {
            let (from, to) = (assets + "/" + name, target + "/assets/" + name)
            var isDirectory: ObjCBool = false
            guard files.fileExists(atPath: from, isDirectory: &isDirectory) else { continue }
            guard !isDirectory.boolValue else {
                try files.createDirectory(
                    atPath: to, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                continue
            }
            try files.createDirectory(
                atPath: URL(fileURLWithPath: to).deletingLastPathComponent().path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            do { try files.linkItem(atPath: from, toPath: to) } catch {
                // Another file system has no links to this one.
                try files.copyItem(atPath: from, toPath: to)
            }
            count += 1
            progress("Taking over files", count, count)
        }
        report.notes.append(
            "\(count) files of assets were taken over; 'stratus assets verify' compares them.")
    }
}
