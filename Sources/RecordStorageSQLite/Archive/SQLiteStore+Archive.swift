import Foundation
import RecordStorage

extension SQLiteStore {
    /// The name of the folder in a data directory that is there as long as its log is archived. Commands beside a server leave the log to the
    /// server then.
    public static let archiveFolderName = "stratus.archive"

    private var logPath: String { directory + "/" + Self.fileName + "-wal" }

    /// Copies the log into a spool from now on, where an earlier process ended.
    ///
    /// - Parameters:
    ///   - spool: where copies go.
    ///   - chain: the chain of segments that they belong to.
    ///   - number: the segment in the spool that goes on.
    ///   - position: the last place in the spool; nil where ``DatabaseStamp`` says that the log started over since.
    /// - Returns: false where commits may be missing between; then nothing is copied yet.
    public func resumeSpool(
        _ spool: LogSpool, chain: String, number: Int, at position: LogPosition?
    ) async -> Bool {
        await between { [logPath, writes, logWrittenBefore] in
            guard
                spool.resume(
                    logPath, chain: chain, number: number, at: position, writtenAt: logWrittenBefore ?? 0)
            else { return false }
            writes.spool(into: spool)
            return true
        }
    }

    /// Copies the log into a spool from now on, as a new chain: what was committed before has to be in a copy of the
    /// database that is begun after this returns.
    public func beginSpool(_ spool: LogSpool, chain: String) async {
        await between { [logPath, writes] in
            spool.begin(logPath, chain: chain)
            writes.spool(into: spool)
        }
    }

    /// Copies what other processes committed since the last commit of this one.
    public func copyLog() async { await between { [writes] in writes.takeLog() } }

    private func between<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            writes.betweenCommits { continuation.resume(returning: work()) }
        }
    }
}

/// When a file was last written.
enum FileTime {
    /// Milliseconds since 1970; nil where there is no such file.
    static func lastWrite(_ path: String) -> Int64? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return Int64(info.st_mtim.tv_sec) * 1_000 + Int64(info.st_mtim.tv_nsec) / 1_000_000
    }
}

/// Which state of its file a database was in, as the file system tells.
public struct DatabaseStamp: Sendable, Equatable {
    /// Size, time of the last change, and number of the file.
    public let numbers: [Int]

    /// Reads it of a database that nobody has open, whose log is gone; nil where there is a log.
    public init?(directory: String) {
        let path = directory + "/" + SQLiteStore.fileName
        var info = stat()
        if stat(path + "-wal", &info) == 0, info.st_size > 0 { return nil }
        self.init(path: path)
    }

    /// Reads it of a database that has just been opened.
    public init?(opened directory: String) { self.init(path: directory + "/" + SQLiteStore.fileName) }

    private init?(path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        numbers = [Int(info.st_size), Int(info.st_mtim.tv_sec), Int(info.st_mtim.tv_nsec), Int(info.st_ino)]
    }
}
