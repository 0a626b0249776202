/// Why records cannot be moved.
public struct TransferError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public let code: String
    /// What is wrong, in a sentence.
    public let message: String
    /// What to do about it.
    public let remedy: String?

    init(_ code: StaticString, _ message: String, remedy: String? = nil) {
        self.code = "\(code)"
        self.message = message
        self.remedy = remedy
    }

    public var description: String { message }
}
