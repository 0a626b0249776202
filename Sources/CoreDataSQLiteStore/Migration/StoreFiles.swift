internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// A store as the files that it is made of: the database, its logs, and the folder of large values.
enum StoreFiles {
    /// Checks that a store of files can be at an address: ``RegularFile/require(_:)``, and `/dev/null` is memory.
    ///
    /// - Returns: where it is, with links resolved.
    /// - Throws: `CocoaError` 134080.
    @discardableResult
    static func requireFile(_ url: URL) throws -> URL {
        guard !url.isNullDevice else {
            throw CoreDataError(
                134080, "A store at \(url.path) is one in memory, and there is no file of it.",
                remedy: "Give the address of a file; a store in memory goes when it is removed."
            ).cocoa
        }
        return try RegularFile.require(url)
    }

    /// Checks that a store can be made at an address.
    ///
    /// - Throws: `CocoaError`: 134160 where there is a store, 134080 where there is something that is not a regular file.
    static func requireFree(_ url: URL) throws {
        try requireFile(url)
        guard exists(url) else { return }
        throw CoreDataError(
            134160, "A file at \(url.path) already exists.", remedy: "Choose another address, or remove it."
        ).cocoa
    }

    /// Whether there is a file with anything in it; an empty one is a store that is to be made, or was destroyed.
    static func exists(_ url: URL) -> Bool {
        // What was written last may all be in the log.
        FileManager.default.fileExists(atPath: url.path)
            && ["", "-wal"].contains { suffix in
                // A file that is there and cannot be looked at is found when it is opened.
                let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
                return ((attributes?[.size] as? NSNumber)?.int64Value ?? 0) > 0
            }
    }

    /// Copies a store with what is in its log, and its large values, to where no store is.
    ///
    /// - Throws: `CocoaError`: 134160 where there is a store already, 134080 where there is something else.
    static func copy(_ url: URL, to destination: URL) throws {
        try requireFree(destination)
        do {
            try copyDatabase(url, to: destination)
            try copyFiles(url, to: destination)
        } catch {
            // Why the copy failed is worth more than that its beginning stays.
            try? remove(destination)
            throw error
        }
    }

    private static func copyDatabase(_ url: URL, to destination: URL) throws {
        var settings = try StoreSettings(nil, isReadOnly: false, isInMemory: false)
        settings.timeout = 10
        guard exists(url) else {
            throw CoreDataError(134080, "There is no store at \(url.path).", remedy: "Check the address.")
                .cocoa
        }
        let source = try SQLiteConnection(path: url.path, settings: settings, isReader: true)
        defer { source.close() }
        settings.pragmas = ["journal_mode": "delete"]
        let target = try SQLiteConnection(path: destination.path, settings: settings)
        defer { target.close() }
        try source.backUp(to: target) { _ in }
    }

    /// Gives the large values second names in another store's folder, or copies them where the file system has none.
    static func copyFiles(_ url: URL, to destination: URL) throws {
        let (source, target) = (ExternalFiles(store: url), ExternalFiles(store: destination))
        let names = source.names.filter {
            RegularFile.kind(source.folder.appendingPathComponent($0).path) == .regular
        }
        guard !names.isEmpty, source.folder.path != target.folder.path else { return }
        try FileManager.default.createDirectory(at: target.folder, withIntermediateDirectories: true)
        let known = Set(target.names)
        for name in names where !known.contains(name) {
            let (from, to) = (
                source.folder.appendingPathComponent(name), target.folder.appendingPathComponent(name)
            )
            do {
                try FileManager.default.linkItem(at: from, to: to)
            } catch {
                try FileManager.default.copyItem(at: from, to: to)
            }
        }
        try DurableFile.sync(folder: target.folder.path)
    }

    /// Removes a store with its logs and large values, where a link leads to it as well.
    ///
    /// - Throws: what ``RegularFile/remove(_:)`` throws.
    static func remove(_ url: URL) throws {
        let place = url.resolvingSymlinksInPath()
        try RegularFile.remove(place.path)
        try removeLogs(place)
        try ExternalFiles(store: place).removeAll()
    }

    /// Removes a file that this package makes for a while beside a store, or keeps of an older one.
    ///
    /// - Throws: `CocoaError` 134080 where the name is taken by something that is not a database.
    static func removeOwn(_ path: String) throws {
        guard RegularFile.kind(path) != .regular || RegularFile.isDatabase(path) else {
            throw CoreDataError(
                134080, "The name \(path) is needed, and a file that is not a store has it.",
                remedy: "Give that file another name."
            ).cocoa
        }
        try RegularFile.remove(path)
    }

    /// Removes a store, and leaves an empty file with its permissions. Links are resolved.
    static func empty(_ url: URL) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        try remove(url)
        let mode = attributes[.posixPermissions].map { [FileAttributeKey.posixPermissions: $0] }
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: mode) else {
            throw CoreDataError(
                134080, "The store at \(url.path) is removed, and no empty file could be made in its place.",
                remedy: "Check the permissions of its folder."
            ).cocoa
        }
    }

    static func removeLogs(_ url: URL) throws {
        for suffix in RegularFile.logSuffixes { try RegularFile.remove(url.path + suffix) }
    }
}

extension SQLiteConnection {
    /// Copies the whole database, as one moment of it, over another.
    ///
    /// - Parameter progress: called with the part that is done, from 0 to 1; may throw to stop.
    func backUp(to target: SQLiteConnection, progress: (Double) throws -> Void) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        repeat {
            code = sqlite3_backup_step(backup, 2_048)
            let (left, all) = (sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup))
            do {
                try progress(all > 0 ? 1 - Double(left) / Double(all) : 1)
            } catch {
                // The reason for stopping counts; a copy that is not whole is thrown away.
                sqlite3_backup_finish(backup)
                throw error
            }
        } while code == SQLITE_OK
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finished == SQLITE_OK else {
            throw target.failure(code == SQLITE_DONE ? finished : code)
        }
    }

    private func failure(_ code: Int32) -> CocoaError {
        CoreDataError.sqlite(SQLiteFailure(code: code, message: String(cString: sqlite3_errstr(code)))).cocoa
    }
}
