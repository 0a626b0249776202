import Foundation

/// A folder beside the data, in which a copy of the database waits until it is elsewhere. One process at a time has it.
struct WorkFolder {
    let path: String
    private let lock: FolderLock

    /// Makes it, empty; what an interrupted backup left goes.
    ///
    /// - Parameter name: as in `stratus.backup-work`.
    init(in directory: String, name: String) throws {
        path = directory + "/" + name
        lock = try FolderLock(path + "-lock", busy: directory)
        try Files.remove(path)
        try Files.makeFolder(path)
    }

    /// Removes it; where that fails, the next one does before it begins.
    // What stays is removed by the next one before it begins.
    func remove() { try? Files.remove(path) }
}
