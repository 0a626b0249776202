public import Foundation
internal import Synchronization

/// A directory of one process for files that nobody should have to clean up.
///
/// It is made when the first file is asked for, readable by its user only, and removed when the process ends
/// or the directory goes. Where somebody else removed it, it is made again for the next file. What a process that was
/// killed left behind, the next one with a directory of the same name removes: each holds a lock on its own while it
/// lives, and a lock that can be taken has no owner.
public final class ScratchDirectory: Sendable {
    private struct State {
        var path: String?
        var lock: Int32 = -1
        var files = 0
    }

    private let name: String
    private let parent: String
    private let state = Mutex(State())

    /// Names a directory; nothing is made yet.
    ///
    /// - Parameters:
    ///   - name: what the files are for; a part of the path.
    ///   - parent: where it is made; nil stands for the system's directory for temporary files.
    public init(name: String, parent: URL? = nil) {
        self.name = name
        self.parent = (parent?.path ?? NSTemporaryDirectory()) + "/\(name)-\(getuid())"
    }

    deinit { remove() }

    /// A place for a new file, which is not made.
    ///
    /// - Throws: ``ScratchError`` when the directory cannot be made.
    public func newFile(extension pathExtension: String = "") throws(ScratchError) -> URL {
        let outcome = state.withLock { state -> Result<URL, ScratchError> in
            do throws(ScratchError) {
                let path = try place(&state)
                state.files += 1
                let suffix = pathExtension.isEmpty ? "" : "." + pathExtension
                return .success(URL(fileURLWithPath: "\(path)/\(state.files)\(suffix)"))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Removes the directory with all that is in it; another file makes it again.
    public func remove() {
        state.withLock { state in
            guard let path = state.path else { return }
            ExitRemoval.forget(path)
            // Another process's sweep takes what stays.
            try? FileManager.default.removeItem(atPath: path)
            // Nothing is written through a lock.
            close(state.lock)
            state.path = nil
            state.lock = -1
        }
    }

    /// The directory, made where there is none yet, or none any more.
    private func place(_ state: inout State) throws(ScratchError) -> String {
        if let path = state.path {
            let isOpen = access(path, W_OK | X_OK) == 0 || chmod(path, 0o700) == 0
            if isOpen, Self.isThere(path + "/" + Self.lockName, state.lock) { return path }
            // Nothing is written through a lock. What may be left there goes at the exit.
            close(state.lock)
            (state.path, state.lock) = (nil, -1)
        }
        let path = try make(&state)
        state.path = path
        return path
    }

    private func make(_ state: inout State) throws(ScratchError) -> String {
        try makeParent()
        sweep()
        // Another process may sweep between the making of the directory and of its lock: then one is made again.
        for _ in 0..<Self.attempts {
            let path = "\(parent)/\(UUID().uuidString)"
            guard mkdir(path, 0o700) == 0 else { throw ScratchError(path: path, errorNumber: errno) }
            let lock = open(path + "/" + Self.lockName, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, Self.isThere(path + "/" + Self.lockName, lock)
            {
                ExitRemoval.remember(path)
                state.lock = lock
                return path
            }
            // Nothing is written through a lock.
            if lock >= 0 { close(lock) }
        }
        throw ScratchError(path: parent, errorNumber: EBUSY)
    }

    /// Whether a path still names the file that is open.
    private static func isThere(_ path: String, _ descriptor: Int32) -> Bool {
        var named = stat()
        var opened = stat()
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
    }

    /// Others can write where temporary files are, so a directory of another owner is not used.
    private func makeParent() throws(ScratchError) {
        if mkdir(parent, 0o700) == 0 { return }
        if errno == ENOENT {
            // The system's directory itself may have been removed, where an app has one of its own.
            let above = (parent as NSString).deletingLastPathComponent
            // Where it cannot be made again, the next line says why.
            try? FileManager.default.createDirectory(
                atPath: above, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if mkdir(parent, 0o700) == 0 { return }
        }
        guard errno == EEXIST else { throw ScratchError(path: parent, errorNumber: errno) }
        var info = stat()
        guard lstat(parent, &info) == 0 else { throw ScratchError(path: parent, errorNumber: errno) }
        guard info.st_mode & S_IFMT == S_IFDIR, info.st_uid == getuid() else {
            throw ScratchError(path: parent, errorNumber: EPERM)
        }
    }

    /// Removes the directories whose owners are gone.
    private func sweep() {
        // What cannot be listed is swept another time.
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            let path = "\(parent)/\(entry)"
            // Only what ``make(_:)`` makes: a directory, and no link to one.
            var info = stat()
            guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { continue }
            let lock = open(path + "/" + Self.lockName, O_RDWR | O_CLOEXEC)
            // One without a lock is about to get one, unless its owner died in that moment: an hour is enough.
            guard lock >= 0 || Self.isOlderThanAnHour(path) else { continue }
            if lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 {
                // What stays is swept another time.
                try? FileManager.default.removeItem(atPath: path)
            }
            // Nothing is written through a lock.
            if lock >= 0 { close(lock) }
        }
    }

    private static func isOlderThanAnHour(_ path: String) -> Bool {
        // One that cannot be looked at is gone already, or belongs to somebody else.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date else { return false }
        return date.timeIntervalSinceNow < -3600
    }

    private static let lockName = ".lock"
    private static let attempts = 5
}

/// What is removed when the process ends in good order.
private enum ExitRemoval {
    private static let paths = Mutex<Set<String>>([])
    private static let registration: Void = {
        atexit { ExitRemoval.removeAll() }
    }()

    static func remember(_ path: String) {
        _ = registration
        paths.withLock { _ = $0.insert(path) }
    }

    static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    private static func removeAll() {
        // The process ends; what stays is swept by the next one.
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
