import RecordConsole
import RecordEngine
import RecordStorage

/// The way into the console for the person who has just started a server.
enum FirstOperator {
    /// The name that is made where there is no operator yet.
    private static let usualName = "admin"

    /// Says how to sign in, once the server listens and nobody has done so yet.
    ///
    /// A person at a terminal gets a link. Elsewhere standard error ends in a log that others read and forward, so
    /// that a link there would let strangers in: it gets the command that makes one.
    static func welcome(
        address: String, store: any RecordStore, console: Console = .standard, hints: CommandHints
    ) async throws {
        guard let name = try await Operators.makeFirst(usualName, in: store, environment: .system) else {
            return
        }
        guard console.isErrorTerminal else {
            return console.note(
                hints.completing(
                    "Nobody has signed in to the console yet. 'stratus operator link \(name)' prints a link that lets you in."
                ))
        }
        let path = try await Operators.link(for: name, in: store, environment: .system)
        console.note(
            """
            The console has one operator, '\(name)'. This link lets you in, once, within a day:
              \(address)\(path)
            """)
    }
}
