internal import StratusCoreData

/// A store's options as the SQLite store understands them.
struct StoreSettings {
    var isReadOnly = false
    /// Seconds to wait for a lock.
    var timeout: TimeInterval = 240
    /// SQLite's settings by name, in lower case, as they are written in a statement.
    var pragmas: [String: String] = [:]
    var analyzes = false
    var vacuums = false
    var tracksHistory = false
    var ignoresVersions = false
    /// Whether the file is on a disk.
    var isInMemory = false

    /// - Throws: `CocoaError` for a setting that cannot be a setting of SQLite's.
    init(_ options: [AnyHashable: Any]?, isReadOnly: Bool, isInMemory: Bool) throws {
        self.isReadOnly = isReadOnly
        self.isInMemory = isInMemory
        func flag(_ key: String) -> Bool {
            (options?[key] as? NSNumber)?.boolValue ?? (options?[key] as? Bool) ?? false
        }
        analyzes = flag(NSSQLiteAnalyzeOption)
        vacuums = flag(NSSQLiteManualVacuumOption)
        tracksHistory = flag(NSPersistentHistoryTrackingKey)
        ignoresVersions = flag(NSIgnorePersistentStoreVersioningOption)
        let timeout = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
        if let timeout, timeout.isFinite, timeout >= 0 { self.timeout = min(timeout, 86_400) }
        guard let pragmas = options?[NSSQLitePragmasOption] else { return }
        try setPragmas(pragmas)
    }

    private mutating func setPragmas(_ any: Any) throws {
        let entries: [(String, Any)] =
            if let dictionary = any as? [String: Any] {
                dictionary.map { ($0.key, $0.value) }
            } else if let dictionary = any as? NSDictionary {
                dictionary.compactMap { key, value in (key as? String).map { ($0, value) } }
            } else {
                []
            }
        for (name, value) in entries {
            let text = "\(value)"
            let isWord = { (text: String) in
                !text.isEmpty
                    && text.utf8.allSatisfy {
                        $0 < 128
                            && (Character(UnicodeScalar($0)).isLetter || Character(UnicodeScalar($0)).isNumber
                                || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-"))
                    }
            }
            guard isWord(name), isWord(text) else {
                throw CoreDataError(
                    134080, "'\(name) = \(text)' is not a setting of SQLite.",
                    remedy: "Values in NSSQLitePragmasOption are single words or numbers."
                ).cocoa
            }
            pragmas[name.lowercased()] = text
        }
    }

    /// The statements that set up a new connection.
    func statements(isReader: Bool) -> [String] {
        var settings: [(String, String)] = []
        if !isReadOnly, !isReader {
            // These two only work while the file is empty.
            settings += [("page_size", "4096"), ("auto_vacuum", "2")]
            if !isInMemory { settings.append(("journal_mode", "WAL")) }
        }
        // A save that returned is on disk (Documentation/Durability.md, 'The promise').
        settings += [("synchronous", "FULL"), ("temp_store", "MEMORY"), ("cache_size", "-16384")]
        // Order matters to SQLite: what decides the file's shape comes first, as the defaults do.
        var own = pragmas
        settings = settings.map { ($0, own.removeValue(forKey: $0) ?? $1) }
        if !isReader { settings += own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
        return settings.map { "PRAGMA \($0) = \($1)" }
    }
}
