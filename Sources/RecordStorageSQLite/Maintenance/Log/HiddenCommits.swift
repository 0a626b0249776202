import Foundation
import RecordStorage

/// What a store looks for before it is opened.
enum HiddenCommits {
    /// How many sequence numbers may stand in a log after its damage although nobody was told of a commit there: that of before
    /// the damage, and that of the one commit that was not on the disk yet.
    private static let unacknowledged = 2

    /// Refuses a database whose log is damaged before commits that were acknowledged.
    ///
    /// SQLite takes the damage for the end of the log: opened for writing, the database would lose what comes after it, and with the
    /// first new commit also what could have been saved.
    ///
    /// A power cut may damage what the disk had not confirmed: the last commit, and before it slices of work in the background,
    /// which wait for no disk. These give no sequence numbers, so commits are counted by those. Acknowledged commits
    /// that give none either (of tokens and accounts) are not told from slices, and are no reason.
    ///
    /// - Throws: `StorageError` where acknowledged commits come after damage in the log, and where the log or the
    ///   database's header cannot be read.
    static func refuse(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path), let file = try LogFile(path: path + "-wal") else {
            return
        }
        let log = try contents(of: file, path)
        guard let damage = log.damage, !log.commitsBeyond.isEmpty else { return }
        var sequences: Set<Int64> = []
        for (index, frame) in log.frames.enumerated().dropFirst(damage)
        where frame.isOfThisLog && frame.isWhole {
            if let sequence = MetaPage.sequence(in: try file.page(index, pageBytes: log.pageBytes)) {
                sequences.insert(sequence)
            }
        }
        guard sequences.count > unacknowledged else { return }
        throw StorageError.damagedLog(
            path + "-wal", commits: log.commitsBeyond.count, remedy: StoreInspection.recoverRemedy)
    }

    private static func contents(of file: LogFile, _ path: String) throws -> LogFile.Contents {
        do {
            // The header of the log says it as well, where it is whole.
            return try file.contents(databasePageBytes: DatabaseHeader.pageBytes(ofFileAt: path) ?? 4_096)
        } catch let error as StorageError { throw error } catch {
            throw StorageError.engine("The database \(path) cannot be read.", error)
        }
    }
}
