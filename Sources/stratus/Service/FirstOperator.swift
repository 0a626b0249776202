import RecordConsole
import RecordEngine
import RecordStorage

/// The way into the console for the person who has just started a server.
enum FirstOperator {
    /// The name that is made where there is no operator yet.
    private static let name = "admin"

    /// Tells the person at the terminal how to sign in, once the server listens and nobody has done so yet. It goes
    /// to standard error, so that no log keeps it.
    static func welcome(address: String, store: any RecordStore) async throws {
        guard let path = try await Operators.firstLink(for: name, in: store, environment: .system) else {
            return
        }
        Console.standard.note(
            """
            The console has one operator, '\(name)'. This link lets you in, once, within a day:
              \(address)\(path)
            """)
    }
}
