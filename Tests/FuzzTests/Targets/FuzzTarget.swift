/// A place where the service reads what strangers send: how it is asked, and what must hold of what it takes.
///
/// The same doors are tried by `FuzzTests`, with a few thousand inputs that are always the same, and by libFuzzer, which looks at
/// what code an input reaches and changes those that reach more (`scripts/fuzz.sh`).
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs that are good, or nearly: where changing begins.
    let seeds: [[UInt8]]
    /// What is worth putting in.
    let words: [String]
    /// How many inputs `make test` tries.
    let count: Int
    /// Whether an input was taken for a good one. It throws ``Forgery`` where it must not have been taken.
    let attempt: @Sendable (_ input: [UInt8]) async throws -> Bool

    /// All doors.
    static func all() throws -> [FuzzTarget] {
        [
            try tokens(), try signatures(), try identityTokens(), mails(), redirects(), forwarded(),
            liveQueries(),
        ]
    }

    /// Keeps the parts of an input apart: no text in UTF-8 has this byte.
    static let mark: UInt8 = 0xFF

    /// The parts of an input as texts: so many, the last ones empty where there are fewer.
    static func texts(_ input: some Collection<UInt8>, _ count: Int) -> [String] {
        let parts = input.split(separator: mark, maxSplits: count - 1, omittingEmptySubsequences: false)
        return (0..<count).map { $0 < parts.count ? String(decoding: parts[$0], as: UTF8.self) : "" }
    }

    /// An input of these parts.
    static func input(_ texts: [String]) -> [UInt8] {
        Array(texts.map { Array($0.utf8) }.joined(separator: [mark]))
    }
}

/// What was taken and must not have been, or came back as something else.
struct Forgery: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// - Throws: itself where the condition does not hold.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        if !condition { throw Forgery(description()) }
    }
}
