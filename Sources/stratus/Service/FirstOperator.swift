import RecordConsole
import RecordEngine
import RecordStorage

/// The way into the console for who has just started their first server.
enum FirstOperator {
    /// The name that is made where there is no operator yet.
    static let name = "admin"

    /// A link for the first operator, who is made for it; nil where there are operators already.
    static func link(in store: any RecordStore) async throws -> String? {
        guard try await store.read(.short, { try $0.operators() }).isEmpty else { return nil }
        _ = try await Operators.add(name, to: store, environment: .system)
        return try await Operators.link(for: name, in: store, environment: .system)
    }

    /// Tells the person at the terminal; it goes to standard error, so that no log keeps it.
    static func show(address: String, path: String) {
        Console.standard.note(
            """
            The console has one operator, '\(name)'. This link lets you in, once, within a day:
              \(address)\(path)
            """)
    }
}
