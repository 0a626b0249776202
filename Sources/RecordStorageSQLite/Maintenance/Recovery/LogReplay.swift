import Foundation
import RecordStorage

/// Writes pages of a log into a database file.
struct LogReplay {
    private let file: LogFile
    private let log: LogFile.Contents

    init(_ file: LogFile, _ log: LogFile.Contents) {
        self.file = file
        self.log = log
    }

    /// Writes the pages of some frames, the newest of each, and cuts the database to the size of the last commit.
    func apply(_ frames: [Int], to path: String) throws {
        guard
            let pages = frames.last(where: { log.frames[$0].commitPages > 0 }).map({
                log.frames[$0].commitPages
            })
        else { return }
        guard let database = FileHandle(forUpdatingAtPath: path) else {
            throw StorageError.engine("The file \(path) cannot be written.")
        }
        do {
            let newest = Dictionary(frames.map { (log.frames[$0].page, $0) }, uniquingKeysWith: max)
            for (page, index) in newest.sorted(by: { $0.key < $1.key }) where page > 0 && page <= pages {
                try database.seek(toOffset: UInt64(page - 1) * UInt64(log.pageBytes))
                try database.write(contentsOf: file.page(index, pageBytes: log.pageBytes))
            }
            try database.truncate(atOffset: UInt64(pages) * UInt64(log.pageBytes))
            try database.synchronize()
            try database.close()
        } catch let error as StorageError { throw error } catch {
            throw StorageError.engine("The file \(path) cannot be written.", error)
        }
    }
}
