import Synchronization

/// Where errors go that no caller can be given.
public enum CoreDataLog {
    private static let handler = Mutex<@Sendable (String) -> Void> { message in
        FileHandle.standardError.write(Data("CoreData: \(message)\n".utf8))
    }

    /// Sets who hears of errors that no method can throw; the standard error stream unless set.
    public static func setHandler(_ newHandler: @escaping @Sendable (String) -> Void) {
        handler.withLock { $0 = newHandler }
    }

    /// Says what cannot be thrown.
    package static func report(_ message: String) { handler.withLock { $0 }(message) }
}
