import Foundation
import RecordStorage
import Synchronization

/// What commits put into the write-ahead log, copied into files of its own before the log can start over, for whoever
/// archives it.
///
/// The writing thread copies after each commit, once its callers were told: it reads the frames that it wrote a moment ago and
/// writes them to a file, without waiting for a disk. A spool that cannot be written, or that grows beyond its bound, fails and is not written
/// any more; commits never fail for it.
public final class LogSpool: Sendable {
    /// Where a spool is.
    public struct Status: Sendable {
        /// Which unbroken run of commits it belongs to.
        public var chain: String
        /// The number of the file that is written next.
        public var number: Int
        /// The bytes in all files.
        public var bytes: Int
        /// Why it stopped; nil where it goes on.
        public var failure: String?
        /// The last place that was copied.
        public var position: LogPosition?
    }

    private struct State {
        var log: Int32 = -1
        var file: Int32 = -1
        var fileBytes = 0
        var status = Status(chain: "", number: 1, bytes: 0)
        var lastTime: Int64 = 0
    }

    /// The folder of the files.
    public let folder: String
    private let mostBytes: Int
    private let state = Mutex(State())

    /// A file of more bytes is ended, so that whoever reads one whole needs so much memory.
    private static let fileBytes = 16 << 20

    /// - Parameters:
    ///   - folder: a folder of its own in the data directory.
    ///   - mostBytes: how many bytes may wait in it.
    public init(folder: String, mostBytes: Int) {
        self.folder = folder
        self.mostBytes = mostBytes
    }

    deinit {
        state.withLock { state in
            // The next process compares what is there with the log, and begins a new chain where it differs.
            if state.file >= 0 { close(state.file) }
            // It was only read.
            if state.log >= 0 { close(state.log) }
        }
    }

    /// Where it is.
    public var status: Status { state.withLock { $0.status } }

    /// The files that are whole, the oldest first: `CHAIN.NUMBER.raw`.
    public var files: [String] {
        let open = state.withLock { $0.file >= 0 ? Self.name($0.status) : "" }
        // What cannot be listed now is taken the next time.
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".raw") && $0 != open }.sorted()
    }

    private static func name(_ status: Status) -> String {
        let digits = "\(status.number)"
        return "\(status.chain).\(String(repeating: "0", count: max(0, 12 - digits.count)))\(digits).raw"
    }

    /// Ends the file that is written, so that it is one of ``files``.
    ///
    /// - Returns: the number that the next one has.
    @discardableResult
    public func rotate() -> Int {
        state.withLock { state in
            Self.end(&state)
            return state.status.number
        }
    }

    private static func end(_ state: inout State) {
        guard state.file >= 0 else { return }
        // Some file systems tell only here that what was written has no room. The file counts as ended all the same.
        if close(state.file) != 0, errno != EINTR {
            state.status.failure =
                "A file of the spool could not be closed: \(String(cString: strerror(errno)))."
        }
        state.file = -1
        state.fileBytes = 0
        state.status.number += 1
    }

    /// Removes a file that is elsewhere.
    public func remove(_ name: String) {
        var info = stat()
        let path = folder + "/" + name
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, unlink(path) == 0 else { return }
        state.withLock { $0.status.bytes = max(0, $0.status.bytes - Int(info.st_size)) }
    }

    // MARK: By the writing thread

    /// Goes on where an earlier process ended.
    ///
    /// - Parameter time: when the log was last written before this process opened it. The last commits of one that was killed are
    ///   not in the spool, and have that time: what this process has written since, before it takes requests, is no later for anybody.
    /// - Returns: false where the log is not the one that it was, so that commits may be missing.
    func resume(
        _ log: String, chain: String, number: Int, at position: LogPosition?, writtenAt time: Int64
    ) -> Bool {
        state.withLock { state in
            guard Self.open(log, &state) else { return false }
            if let position {
                guard let header = LogHeader(state.log), header.salts == position.salts,
                    position.frame == 0 || Self.sums(of: position.frame, header, state.log) == position.sums
                else { return false }
            }
            state.status.chain = chain
            state.status.number = number
            state.status.position = position
            state.status.failure = nil
            state.status.bytes = waitingBytes
            if let failure = copy(&state, time: time, isSkipped: false) { fail(&state, failure) }
            return true
        }
    }

    /// Begins a new chain with what is committed from now on.
    func begin(_ log: String, chain: String) {
        state.withLock { state in
            // What it holds is of the chain that is given up.
            if state.file >= 0 { close(state.file) }
            state.file = -1
            state.fileBytes = 0
            state.status = Status(chain: chain, number: 1, bytes: waitingBytes)
            guard Self.open(log, &state) else {
                state.status.failure = "The write-ahead log cannot be opened."
                return
            }
            // What is committed so far is in the base that follows.
            _ = copy(&state, time: 0, isSkipped: true)
        }
    }

    /// Copies what was committed since the last time.
    ///
    /// - Parameter time: milliseconds since 1970, before anybody was told of it.
    func take(time: Int64) {
        state.withLock { state in
            guard state.log >= 0, state.status.failure == nil else { return }
            let time = max(time, state.lastTime)
            state.lastTime = time
            if let failure = copy(&state, time: time, isSkipped: false) {
                fail(&state, failure)
            } else if state.status.bytes > mostBytes {
                fail(&state, "More than \(mostBytes) bytes wait for the archive.")
            } else if state.fileBytes > Self.fileBytes {
                Self.end(&state)
            }
        }
    }

    private func fail(_ state: inout State, _ reason: String) {
        state.status.failure = reason
        // The chain ends with the reason that is told; what this file lacks is in the next one's base.
        if state.file >= 0 { close(state.file) }
        state.file = -1
    }

    private var waitingBytes: Int {
        // A number for the limit of the spool; where the folder cannot be read, writing into it fails and says so.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            var info = stat()
            return stat(folder + "/" + name, &info) == 0 ? sum + Int(info.st_size) : sum
        }
    }

    private static func open(_ log: String, _ state: inout State) -> Bool {
        // It was only read.
        if state.log >= 0 { close(state.log) }
        state.log = Foundation.open(log, O_RDONLY | O_CLOEXEC)
        return state.log >= 0
    }

    /// The checksum after so many frames.
    private static func sums(of frame: UInt32, _ header: LogHeader, _ file: Int32) -> [UInt32]? {
        let offset = WalFrame.fileHeaderBytes + (Int(frame) - 1) * (WalFrame.headerBytes + header.pageSize)
        var words = [UInt32](repeating: 0, count: 6)
        let count = words.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == 24 else { return nil }
        words = words.map { UInt32(bigEndian: $0) }
        return Array(words[2..<4]) == header.salts ? Array(words[4..<6]) : nil
    }

    /// - Returns: why it failed; nil where it did not.
    private func copy(_ state: inout State, time: Int64, isSkipped: Bool) -> String? {
        guard let header = LogHeader(state.log) else { return nil }
        var position = state.status.position ?? LogPosition(salts: [], frame: 0, sums: [])
        if position.salts != header.salts {
            // It started over, which it does after everything in it was copied.
            position = LogPosition(salts: header.salts, frame: 0, sums: header.sums)
        }
        let record = SpoolRecord(header, from: position, in: state.log)
        if isSkipped {
            state.status.position = record.end(writing: { _ in true })?.position ?? position
            return nil
        }
        guard record.hasFrame else {
            state.status.position = position
            return nil
        }
        if state.file < 0 {
            let path = folder + "/" + Self.name(state.status)
            state.file = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard state.file >= 0 else {
                return "\(path) cannot be made: \(String(cString: strerror(errno)))."
            }
        }
        // The head comes last: a record without one is none, whatever ends the process.
        let start = state.fileBytes
        var end = start + SpoolRecord.headBytes
        var error: Int32 = 0
        let (file, pageBytes) = (state.file, 4 + header.pageSize)
        let found = record.end { bytes in
            let count = pwrite(file, bytes.baseAddress, bytes.count, off_t(end))
            if count != bytes.count { error = count < 0 ? errno : ENOSPC }
            end += max(0, count)
            return error == 0
        }
        if error == 0, let found {
            end = start + SpoolRecord.headBytes + Int(found.frames) * pageBytes
            let head = found.head(time: time, pageSize: header.pageSize)
            if pwrite(file, head, head.count, off_t(start)) != head.count { error = ENOSPC }
        }
        let isWritten = error == 0 && found != nil
        // What no commit has ended is taken away again.
        if ftruncate(file, off_t(isWritten ? end : start)) != 0, error == 0 { error = errno }
        guard error == 0 else { return "\(folder) cannot be written: \(String(cString: strerror(error)))." }
        state.status.position = found?.position ?? position
        guard isWritten else { return nil }
        state.status.bytes += end - start
        state.fileBytes = end
        return nil
    }
}
