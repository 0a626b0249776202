import Foundation

/// The head of a database file, read without SQLite (<https://sqlite.org/fileformat2.html#the_database_header>).
enum DatabaseHeader {
    /// The page size that a file states; nil for one that is too short.
    ///
    /// - Throws: what the system says of a file that cannot be read.
    static func pageBytes(ofFileAt path: String) throws -> Int? {
        let header = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped).prefix(18)
        guard header.count == 18 else { return nil }
        let stored = Int(header[header.startIndex + 16]) << 8 | Int(header[header.startIndex + 17])
        return stored == 1 ? 65_536 : stored
    }
}
