public import Foundation

/// Why there is no place for temporary files.
public struct ScratchError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What could not be made or used.
    public let path: String
    /// The system's number for the reason.
    public let errorNumber: Int32

    /// What happened, in a sentence.
    public var sentence: String {
        "The directory for temporary files '\(path)' cannot be used: \(String(cString: strerror(errorNumber)))."
    }
    /// What to do about it.
    public var remedy: String { "Set TMPDIR to a directory that the program may write to." }

    public var description: String { "\(sentence) \(remedy)" }
    public var errorDescription: String? { sentence }
    public var recoverySuggestion: String? { remedy }
}
