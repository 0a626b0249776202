import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess

extension StoreInspection {
    /// What helps where commits stand after a damage of the log.
    static let recoverRemedy =
        "Start no server on this directory and keep a copy of it: SQLite takes the damage for the end of the log. 'stratus doctor --recover DIRECTORY' writes what can be read into a new directory."

    /// Whether the log is whole, and what it holds that SQLite does not see.
    static func logFindings(
        _ path: String, _ connection: Connection, isServed: Bool, progress: @escaping Progress
    ) throws -> [StoreFinding] {
        guard let file = try LogFile(path: path + "-wal") else {
            return [StoreFinding("log", .good, "There is nothing in the write-ahead log.")]
        }
        let pageBytes = Int(try connection.int("PRAGMA page_size"))
        func look() throws -> LogFile.Contents {
            try file.contents(databasePageBytes: pageBytes) { progress("Reading the log", $0, $1) }
        }
        var log = try look()
        if isServed, log.damage != nil {
            // A server writes on: what looks damaged may have been half written. A damage stays where it is.
            let again = try look()
            if again.damage != log.damage { return [sizeFinding(path, log)] }
            log = again
        }
        guard let damage = log.damage else { return [sizeFinding(path, log)] + tornFindings(log, isServed) }
        let commits = log.commitsBeyond
        let frames = log.frames.indices.filter { $0 >= damage && log.frames[$0].isWhole }.count
        var message =
            log.isHeaderWhole
            ? "The write-ahead log is damaged at its frame \(damage + 1) of \(log.frames.count)."
            : "The head of the write-ahead log is damaged: SQLite takes the log for empty."
        message +=
            " After it \(frames) pages in \(commits.count) commits are whole; up to so many acknowledged writes are not seen by SQLite, each with all its requests."
        if let sequence = try lastSequence(file, log, connection) {
            message +=
                " The last sequence number there is \(sequence); the database without them has \(try connection.meta(.sequence))."
        }
        return [StoreFinding("log", .problem, message, remedy: recoverRemedy)]
    }

    private static func sizeFinding(_ path: String, _ log: LogFile.Contents) -> StoreFinding {
        let size = log.frames.count * (log.pageBytes + WalFrame.headerBytes)
        let commits = log.frames[..<log.soundCount].count { $0.commitPages > 0 }
        guard size > Limits.logBytes else {
            return StoreFinding(
                "log", .good, "The write-ahead log is whole: \(size) bytes, \(commits) commits.")
        }
        return StoreFinding(
            "log", .warning, "The write-ahead log has grown to \(size) bytes.",
            remedy: "A restart of the server folds it into the database; so does 'stratus doctor --repair'.",
            isRepairable: true)
    }

    private static func tornFindings(_ log: LogFile.Contents, _ isServed: Bool) -> [StoreFinding] {
        guard log.endsTorn, !isServed else { return [] }
        return [
            StoreFinding(
                "log-end", .warning,
                "The write-ahead log ends with an incomplete commit. A server that was killed leaves such an end; the commit was never acknowledged."
            )
        ]
    }

    /// The last sequence number that a commit after the damage gave.
    private static func lastSequence(
        _ file: LogFile, _ log: LogFile.Contents, _ connection: Connection
    ) throws -> Int64? {
        let root = Int(try connection.int("SELECT rootpage FROM sqlite_master WHERE name = 'meta'"))
        guard root > 0, let last = log.commitsBeyond.last,
            let frame = log.frames[...last].lastIndex(where: { $0.page == root && $0.isWhole })
        else { return nil }
        return MetaPage.sequence(in: try file.page(frame, pageBytes: log.pageBytes))
    }
}

/// The sizes and times of a store's files, which tell whether somebody wrote meanwhile.
struct FileStamps: Equatable {
    private let values: [[Int]]

    init(_ path: String) {
        values = ["", "-wal"].map { suffix -> [Int] in
            var info = stat()
            // A file that is not there is a state like others.
            guard stat(path + suffix, &info) == 0 else { return [] }
            return [Int(info.st_size), Int(info.st_mtim.tv_sec), Int(info.st_mtim.tv_nsec), Int(info.st_ino)]
        }
    }
}
