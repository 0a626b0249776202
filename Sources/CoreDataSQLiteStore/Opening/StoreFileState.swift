internal import SQLiteAccess
internal import StratusCoreData

/// What distinguishes the states of a SQLite file, for code that keeps something made from its content.
///
/// With a log beside the file it is the head of the log's index, which changes with every commit of any process.
/// Without one it is the file's own header, size and time of change.
enum StoreFileState {
    /// Nil where the file cannot be read, or changed so lately that the clock may not show a later change.
    static func read(_ store: SQLiteObjectStore) -> String? {
        guard let coordinator = store.persistentStoreCoordinator else { return nil }
        return coordinator.withLock {
            guard let url = store.url, let connection = store.open?.connection else { return nil }
            return read(url, connection)
        }
    }

    private static func read(_ url: URL, _ connection: SQLiteConnection) -> String? {
        guard let file = attributes(url.path), let header = connection.firstBytes(100) else { return nil }
        let log = attributes(url.path + "-wal")
        var parts = [file.text, hex(header[24..<28]), hex(header[92..<96])]
        if let log, log.size > 0 {
            // The index starts with two copies of its head; while they differ somebody is writing.
            guard let index = connection.firstIndexBytes(96),
                index.prefix(48).elementsEqual(index.suffix(48))
            else { return nil }
            parts += [log.text, hex(index.prefix(48))]
        } else {
            guard Date().timeIntervalSince1970 - file.time > clockGrain else { return nil }
        }
        return parts.joined(separator: " ")
    }

    /// File systems note times in steps of some milliseconds.
    private static var clockGrain: Double { 0.05 }

    private struct Attributes {
        var size: Int64
        var time: Double
        var text: String
    }

    private static func attributes(_ path: String) -> Attributes? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Attributes(
            size: Int64(status.st_size), time: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            text: "\(status.st_ino):\(status.st_size):\(time.tv_sec).\(time.tv_nsec)")
    }

    private static func hex(_ bytes: Data) -> String {
        bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
}
