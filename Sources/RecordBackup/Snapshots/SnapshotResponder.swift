import Foundation
import RecordStorageSQLite

/// Copies a server's database for commands that ask for it in the data directory.
public struct SnapshotResponder: Sendable {
    private let files: SnapshotFiles
    private let copyDatabase: BackupSource.CopyDatabase
    private let report: @Sendable (String) -> Void

    private static let interval = Duration.milliseconds(250)

    /// - Parameters:
    ///   - directory: the data directory.
    ///   - copyDatabase: copies the database.
    ///   - report: takes sentences for the operator's log.
    public init(
        directory: String, copyDatabase: @escaping BackupSource.CopyDatabase,
        report: @escaping @Sendable (String) -> Void
    ) {
        files = SnapshotFiles(directory: directory)
        self.copyDatabase = copyDatabase
        self.report = report
    }

    /// Answers until the task is cancelled.
    public func run() async {
        // What an earlier server left.
        try? files.clear()
        var last: String?
        while (try? await Task.sleep(for: Self.interval)) != nil {
            guard Files.size(files.request) ?? 0 > 0, let request = files.readRequest(), request.id != last,
                FolderLock.isHeld(files.request)
            else { continue }
            last = request.id
            await answer(request)
        }
    }

    private func answer(_ request: SnapshotFiles.Request) async {
        var answer = SnapshotFiles.Answer(id: request.id, state: .copying)
        do {
            answer.path = try place(request.path)
            try files.write(answer)
            try await copy(answer)
            answer.state = .done
        } catch is CancellationError {
            answer.state = .failed
            answer.reason = "it is stopping, or nobody waits any more."
        } catch {
            answer.state = .failed
            answer.reason = "\(error)"
            report("A copy of the database for a backup failed: \(error)")
        }
        // Where it stays, the folder that it is in is thrown away as unfinished.
        if answer.state == .failed { try? Files.remove(answer.path) }
        // Where even this fails, the disk is full: the command sees the server's state and gives up after a while.
        do { try files.write(answer) } catch { report("A command could not be told of its copy: \(error)") }
    }

    /// The file to write: the one that was asked for, or one in the data directory.
    private func place(_ wanted: String) throws -> String {
        for path in [wanted, files.copy] {
            if path == files.copy { try Files.remove(path) }
            let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
            if file >= 0 {
                // It is empty: only its name and its mode were wanted.
                close(file)
                return path
            }
            // A service manager may show the server other folders than the command sees.
            guard path == wanted, errno != EEXIST, errno != ENOSPC else {
                throw BackupError.file("made", path)
            }
        }
        return files.copy
    }

    private func copy(_ answer: SnapshotFiles.Answer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await copyDatabase(answer.path) { done, total in
                    var answer = answer
                    (answer.done, answer.total) = (done, total)
                    // The next one may come through; the last one is looked at.
                    try? files.write(answer)
                }
            }
            group.addTask {
                // Nobody who waits: the command was killed.
                while FolderLock.isHeld(files.request) { try await Task.sleep(for: .milliseconds(250)) }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
