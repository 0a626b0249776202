import Foundation

/// The two streams of the tool.
enum StandardStreams {
    /// Writes a line for people and build systems.
    static func report(_ line: String) {
        // Where nobody reads, nothing can be said.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes a line of the result.
    ///
    /// - Throws: when it cannot be written.
    static func say(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// A call of the tool that it does not understand.
struct UsageError: Error {
    var sentence: String

    static let usage = """
        Usage:
          managed-object-generator generate --module NAME --output FOLDER [--source FILE]... [--model PATH]...
              [--dependency NAME=FOLDER]...
          managed-object-generator port [--write] [--strict] [--support FOLDER] FILE...
        'managed-object-generator port --help' says what is rewritten.
        """
}
