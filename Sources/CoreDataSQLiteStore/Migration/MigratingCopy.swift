internal import SQLiteAccess
internal import StratusCoreData

/// A migration of one file, done on a copy that takes its place when it was found whole.
///
/// 1. The log is written into the file, and the file is locked; from here on nobody else can change it.
/// 2. SQLite's backup copies it to `<name>.migrating`. If the process ends before the last step, that file is all
///    that is left of the attempt, and the next one removes it.
/// 3. The copy is changed, then checked: SQLite's own check, the count of every entity's objects, tables and hashes.
/// 4. The copy is made durable and renamed over the store, in one step of the file system.
struct MigratingCopy {
    /// With links resolved.
    let url: URL
    var timeout: TimeInterval = 10
    /// Where the older store stays under another name; nil removes it.
    var kept: URL?
    var progress: (MigrationProgress) throws -> Void = { _ in }

    init(_ url: URL) { self.url = url.resolvingSymlinksInPath() }

    var copyURL: URL { url.appendingPathExtension("migrating") }

    /// Where an older store is kept.
    static func keptURL(_ url: URL) -> URL { url.appendingPathExtension("before-migration") }

    /// Changes the store by a closure that gets the copy.
    func replace(_ change: (SQLiteConnection) throws -> Void) throws {
        try replaceFile { source in
            try copy(source)
            try changeCopy(change)
        }
    }

    /// Changes the copy in one transaction, checks it, and leaves it without a log.
    func changeCopy(_ change: (SQLiteConnection) throws -> Void) throws {
        // A log that the app's code left is written into the file first.
        try open(copyURL, ["journal_mode": "delete"]).close()
        let copy = try open(copyURL, ["journal_mode": "memory", "synchronous": "off"])
        defer { copy.close() }
        try copy.execute("PRAGMA cache_size = -65536")
        try copy.transaction { try change(copy) }
        try progress(MigrationProgress(fraction: 0.9, step: "Checking the new store"))
        try check(copy)
    }

    /// Puts a file in the store's place that a closure makes at ``copyURL`` while the store is locked.
    func replaceFile(_ make: (SQLiteConnection) throws -> Void) throws {
        let source = try lock()
        defer { source.close() }
        try removeCopy()
        do {
            try make(source)
            try keepPermissions()
            try FileSwap.sync(copyURL.path)
            if let kept {
                try FileSwap.link(url.path, to: kept.path)
                // The newer store removes files that its own rows do not name.
                try StoreFiles.copyFiles(url, to: kept)
            }
            try FileSwap.replace(url.path, by: copyURL.path)
        } catch {
            // Why it failed is worth more than that its beginning stays, which the next attempt removes.
            try? removeCopy()
            throw error
        }
        try progress(MigrationProgress(fraction: 1, step: "Done"))
    }

    private func keepPermissions() throws {
        let manager = FileManager.default
        guard let mode = try manager.attributesOfItem(atPath: url.path)[.posixPermissions] else { return }
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: copyURL.path)
    }

    /// Removes what an attempt that was killed left.
    ///
    /// - Throws: `CocoaError` 134080 where something else has the name.
    private func removeCopy() throws {
        try StoreFiles.removeOwn(copyURL.path)
        try StoreFiles.removeLogs(copyURL)
    }

    // MARK: Steps

    private func open(_ url: URL, _ pragmas: [String: String]) throws -> SQLiteConnection {
        var settings = try StoreSettings(nil, isReadOnly: false, isInMemory: false)
        settings.timeout = timeout
        settings.pragmas = pragmas
        return try SQLiteConnection(path: url.path, settings: settings)
    }

    /// Opens the store alone. A log beside the new file would belong to the older one, so there must be none.
    private func lock() throws -> SQLiteConnection {
        let connection = try open(url, ["journal_mode": "delete"])
        do {
            let rows = try connection.rows("PRAGMA journal_mode")
            guard rows.first?.first == .text("delete") else { throw inUse(nil) }
            // SQLite's backup refuses to read from a transaction that writes, so the lock is kept without one.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            do { try connection.execute("BEGIN EXCLUSIVE; COMMIT") } catch { throw inUse(error) }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private func inUse(_ cause: (any Error)?) -> CocoaError {
        CoreDataError(
            134090,
            "The store at \(url.path) is in use, and a store is migrated only while nobody else has it open.",
            remedy: "Close the other coordinators and processes that have it open.", cause: cause
        ).cocoa
    }

    /// Copies the store as it is.
    func copy(_ source: SQLiteConnection) throws {
        let target = try open(copyURL, ["journal_mode": "off", "synchronous": "off"])
        defer { target.close() }
        try source.backUp(to: target) { done in
            try progress(MigrationProgress(fraction: 0.3 * done, step: "Copying the store"))
        }
    }

    private func check(_ copy: SQLiteConnection) throws {
        let found = try copy.rows("PRAGMA integrity_check(10)").compactMap { row -> String? in
            guard case .text(let text)? = row.first, text != "ok" else { return nil }
            return text
        }
        guard found.isEmpty else {
            throw CoreDataError(
                134110,
                "The migrated copy of the store is damaged, so the store was left as it was. SQLite says: "
                    + found.joined(separator: "; "),
                remedy: "The store itself may be damaged: look with PRAGMA integrity_check."
            ).cocoa
        }
    }
}
