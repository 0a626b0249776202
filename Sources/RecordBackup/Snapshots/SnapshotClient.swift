import Foundation
public import RecordStorageSQLite

/// Has the database of a data directory copied, by the server that runs on it, or without one.
public struct SnapshotClient: Sendable {
    private let directory: String
    private let note: @Sendable (String) -> Void

    /// How long a server may take to take notice. It looks four times a second, on a machine that may be busy.
    private static let patience = Duration.seconds(10)
    private static let interval = Duration.milliseconds(50)

    /// - Parameter note: takes sentences for the person who waits.
    public init(directory: String, note: @escaping @Sendable (String) -> Void = { _ in }) {
        self.directory = directory
        self.note = note
    }

    /// Copies the database into a file that does not exist yet.
    ///
    /// - Throws: ``BackupError``; `StorageError`; `CancellationError`.
    public func copyDatabase(to path: String, progress: @escaping CopyProgress) async throws {
        if StoreInspection.isServed(directory: directory) {
            if try await ask(path, progress) { return }
            note(
                "The server does not answer, so its database is copied from outside; its log grows meanwhile."
            )
        }
        try await onOwnThread { [directory] in
            try SQLiteStore.copyDatabase(of: directory, to: path, progress: progress)
        }
    }

    /// Asks the server.
    ///
    /// - Returns: false where no server took notice.
    private func ask(_ path: String, _ progress: CopyProgress) async throws -> Bool {
        let files = SnapshotFiles(directory: directory)
        let lock = try FolderLock(files.request, busy: directory)
        let request = SnapshotFiles.Request(id: UUID().uuidString, path: path)
        try files.clear()
        try lock.write(SnapshotFiles.bytes(request))
        // Emptied before the lock goes: a request that stays is nobody's.
        defer { try? lock.write([]) }
        let start = ContinuousClock.now
        var wasSeen = false
        while true {
            try await Task.sleep(for: Self.interval)
            guard let answer = files.readAnswer(), answer.id == request.id else {
                if ContinuousClock.now - start > Self.patience, !wasSeen { return false }
                continue
            }
            wasSeen = true
            switch answer.state {
            case .copying: progress(answer.done, answer.total)
            case .failed: throw BackupError.snapshot(answer.reason)
            case .done:
                try await take(answer.path, path)
                try files.clear()
                return true
            }
            guard StoreInspection.isServed(directory: directory) else {
                throw BackupError.snapshot("it was stopped meanwhile.")
            }
        }
    }

    /// Brings the copy to where it was wanted.
    private func take(_ found: String, _ path: String) async throws {
        guard found != path else {
            guard Files.size(path) != nil else { throw BackupError.snapshot("its copy cannot be found.") }
            return
        }
        _ = try await onOwnThread { try Files.copy(found, to: path) }
    }
}
