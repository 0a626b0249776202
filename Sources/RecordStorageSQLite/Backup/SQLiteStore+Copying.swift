import Foundation
import RecordStorage
import SQLiteAccess

/// Is told how many pages are copied, and how many there are.
public typealias CopyProgress = @Sendable (_ done: Int, _ total: Int) -> Void

extension SQLiteStore {
    /// Copies the database into a file, while everybody reads and writes.
    ///
    /// The copy is the database as of a commit after this was called, so all that was acknowledged before is in it. It is
    /// not synced yet. Writes wait for a slice of it now and then, two milliseconds at most, and the log stays within its
    /// bounds.
    ///
    /// - Parameters:
    ///   - path: a file that is empty or does not exist.
    ///   - progress: is told how far it is, some times a second.
    /// - Throws: `StorageError` where the file cannot be written or the store closes; `CancellationError`. What the file
    ///   holds then is useless.
    public func copyDatabase(to path: String, progress: @escaping CopyProgress = { _, _ in }) async throws {
        let (ends, continuation) = AsyncThrowingStream.makeStream(of: Void.self)
        let order = CopyOrder(path: path) { result in
            switch result {
            case .success: continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        writes.submit(order)
        let watch = Task {
            while !Task.isCancelled {
                let amount = order.progress
                if amount.total > 0 { progress(amount.done, amount.total) }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { watch.cancel() }
        try await withTaskCancellationHandler {
            // A cancelled task iterates no more, but nobody may touch the file before the writing thread lets go of it.
            try await Task { for try await _ in ends {} }.value
        } onCancel: {
            order.giveUp()
        }
        let amount = order.progress
        progress(amount.done, amount.total)
    }

    /// Copies the database of a directory into a file from outside: without a server, or beside one that cannot be asked.
    ///
    /// It reads from one view of the database. Beside a server the log cannot start over as long as that takes.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    public static func copyDatabase(
        of directory: String, to path: String, progress: CopyProgress = { _, _ in }
    ) throws {
        let source = directory + "/" + fileName
        for _ in 0..<3 {
            let isServed = StoreInspection.isServed(directory: directory)
            let before = FileStamps(source)
            try copyOnce(source, isServed: isServed, to: path, progress)
            // Without locks, a copy counts only where nobody wrote meanwhile.
            if isServed || FileStamps(source) == before { return }
            guard truncate(path, 0) == 0 else { throw StorageError.engine("\(path) cannot be written.") }
        }
        throw StorageError.engine("Somebody writes into \(directory) while it is copied.")
    }

    private static func copyOnce(
        _ source: String, isServed: Bool, to path: String, _ progress: CopyProgress
    ) throws {
        let connection = try Connection(lookingAt: source, isServed: isServed)
        defer { connection.close() }
        try connection.execute("BEGIN")
        defer { connection.endReading() }
        // The view begins with the first read.
        _ = try connection.int("SELECT count(*) FROM sqlite_master")
        let copy = try DatabaseCopy(of: connection, to: path)
        defer { copy.finish() }
        while try !copy.step(pages: 1_024) {
            try Task.checkCancellation()
            let amount = copy.progress
            progress(amount.done, amount.total)
        }
    }
}
