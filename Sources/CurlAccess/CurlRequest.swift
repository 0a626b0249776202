/// One request over HTTP.
public struct CurlRequest: Sendable {
    /// What goes out.
    public enum Body: Sendable {
        /// Nothing: a GET.
        case none
        /// These bytes, of a type as in `application/json`.
        case bytes([UInt8], type: String)
        /// The bytes of the file at a path, read as they are sent.
        case file(path: String, type: String)
    }

    /// Where the body of the answer goes.
    public enum Destination: Sendable {
        /// Into ``CurlResponse/body``; an answer of more bytes is an error.
        case memory(maximumBytes: Int)
        /// Into a new file at a path where the status says success; an answer of more bytes is an error. The body of
        /// another answer goes into ``CurlResponse/body``, as far as ``fileAnswerBytes``.
        case file(path: String, maximumBytes: Int64)
        /// To a closure, as it comes, where the status says success; it is called on the thread of all transfers, which
        /// waits meanwhile. The body of another answer goes into ``CurlResponse/body``, as far as ``fileAnswerBytes``.
        case stream(@Sendable ([UInt8]) -> Void)
        /// The first bytes into ``CurlResponse/body``; the answer counts as read then, however long it is.
        case beginning(bytes: Int)
    }

    /// The most bytes that are kept of an answer that was meant for a file and is none.
    public static let fileAnswerBytes = 1_048_576

    /// The whole address, of `http` or `https`.
    public var url: String
    /// What goes out; a request with a body is a POST where ``method`` says nothing else.
    public var body: Body
    /// The method, where it is neither GET nor POST: `PUT`, `HEAD`, `DELETE`.
    public var method: String?
    /// Headers beside those that a body needs, by their names.
    public var headers: [String: String] = [:]
    /// Where the answer's body goes.
    public var destination: Destination
    /// The longest time in which no byte moves in either direction.
    public var secondsWithoutBytes: Double
    /// The longest time that all of it may take; nil for any.
    public var seconds: Double?
    /// Whether redirections are followed; where not, they are the answer.
    public var followsRedirections = true
    /// To which addresses it may go.
    public var addresses = AddressRule.any
    /// Whether HTTP/2 is asked for, over TLS; requests to a server then share a connection, and
    /// ``CurlResponse/isHTTP2`` says whether the server speaks it.
    public var asksForHTTP2 = false
    /// A file with certificates to trust, as PEM; nil for those of the system.
    public var certificates: String?
    /// Called with the bytes of the body that went out so far, or with those that were written to a file; on the
    /// thread of all transfers, which waits meanwhile.
    public var onProgress: (@Sendable (Int64) -> Void)?

    /// Makes a request.
    public init(
        url: String, body: Body = .none, to destination: Destination, secondsWithoutBytes: Double = 60,
        onProgress: (@Sendable (Int64) -> Void)? = nil
    ) {
        self.url = url
        self.body = body
        self.destination = destination
        self.secondsWithoutBytes = secondsWithoutBytes
        self.onProgress = onProgress
    }
}

/// What a server answered, whatever its status.
public struct CurlResponse: Sendable {
    /// The HTTP status.
    public var status = 0
    /// Whether it came over HTTP/2.
    public var isHTTP2 = false
    /// The headers by their names in lower case; values of the same name are joined by commas.
    public var headers: [String: String] = [:]
    /// The body, where it did not go into a file.
    public var body: [UInt8] = []

    /// Whether the status says that the request succeeded.
    public var isSuccess: Bool { (200..<300).contains(status) }
}
