/// Why nobody was signed in, or why tokens could not be kept.
public struct SignInProblem: Error, Sendable, CustomStringConvertible {
    /// What kind of problem it is.
    public enum Code: String, Sendable {
        /// The API token is not good for the container.
        case unknownApp
        /// Somebody said no in the browser.
        case denied
        /// Nobody came in time.
        case late
        /// The server has too much to do, or somebody asks too often.
        case busy
        /// The server did not answer as a record service does.
        case badAnswer
        /// The file with tokens cannot be used.
        case file
        /// This machine gave no socket.
        case noListener
    }

    /// What kind of problem it is.
    public var code: Code
    /// What is wrong.
    public var sentence: String
    /// What to do about it.
    public var remedy: String?
    /// How long to wait before the next attempt; nil where the server did not say.
    public var retryAfterSeconds: Double?

    /// Makes a problem.
    public init(
        _ code: Code, _ sentence: String, remedy: String? = nil, retryAfterSeconds: Double? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The sentence, and what to do.
    public var description: String { remedy.map { "\(sentence) \($0)" } ?? sentence }
}
