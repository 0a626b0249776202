public import Foundation
internal import RecordModel

/// How requests reach a record service: over HTTP, or in the same process.
///
/// One function for requests and two for files, so that a test or an app can put its own way in between. An
/// implementation has to be safe to call from several tasks at once, and has to give up when the task that calls it
/// is cancelled. One that only implements ``send(_:)`` has files moved over HTTP.
public protocol Transport: Sendable {
    /// Sends one request and waits for its whole answer.
    ///
    /// Whatever the service says is an answer, whatever its status; only a request without an answer throws.
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Posts the bytes of a file to an address that the service gave, without holding them in memory.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - request: the address, with what to send along.
    ///   - progress: called with the number of bytes of the file that went out so far, from any thread.
    /// - Throws: as ``send(_:)``.
    func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse

    /// Gets what is at an address that the service gave and writes it to a new file, without holding it in memory.
    ///
    /// Only the body of an answer that says success goes to the file; another one is in the response.
    /// - Parameters:
    ///   - file: the file.
    ///   - request: the address, with what to send along.
    ///   - progress: called with the number of bytes written so far, from any thread.
    /// - Throws: as ``send(_:)``, or why the file cannot be written.
    func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse

    /// Sends one request and takes its answer as it comes, for one that does not end by itself.
    ///
    /// Bytes of an answer that says success go to the closure; another one is in the response.
    /// - Parameters:
    ///   - request: what to send.
    ///   - take: called with the next bytes, in their order, from any thread.
    /// - Returns: the answer without those bytes, once it has ended.
    /// - Throws: as ``send(_:)``; a transport that does not implement it throws that it cannot.
    func stream(
        _ request: TransportRequest, take: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) async throws -> TransportResponse
}

extension Transport {
    /// Refuses: live queries need a transport that streams.
    ///
    /// - Throws: ``TransportError``, always.
    public func stream(
        _ request: TransportRequest, take: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) async throws -> TransportResponse {
        throw TransportError.misconfigured("This transport cannot stream answers, which live queries need.")
    }
}

/// A request to a record service.
public struct TransportRequest: Sendable, Hashable {
    /// The path, from `/database/1/…` on, without a query.
    public var path: String
    /// The query items in their order, not yet percent-encoded: the tokens.
    public var queryItems: [QueryItem]
    /// What to post, JSON unless the type says otherwise; nil stands for a GET.
    public var body: [UInt8]?
    /// The media type of the body.
    public var contentType: String
    /// The longest time in seconds to wait for bytes of the answer.
    public var timeout: Double
    /// Whether the request may use an expensive network.
    public var allowsCellularAccess: Bool

    /// A name and a value in the query of an address.
    public struct QueryItem: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value, not percent-encoded.
        public var value: String

        /// Makes an item.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a request.
    public init(
        path: String, queryItems: [QueryItem] = [], body: [UInt8]? = nil, timeout: Double = 60,
        allowsCellularAccess: Bool = true, contentType: String = "application/json"
    ) {
        self.path = path
        self.queryItems = queryItems
        self.body = body
        self.contentType = contentType
        self.timeout = timeout
        self.allowsCellularAccess = allowsCellularAccess
    }

    /// `GET` or `POST`.
    public var method: String { body == nil ? "GET" : "POST" }

    /// The path with its query, everything percent-encoded but letters, digits, `-`, `.`, `_` and `~`.
    public var pathAndQuery: String {
        let path = Self.encode(path, keeping: "/")
        guard !queryItems.isEmpty else { return path }
        let items = queryItems.map { Self.encode($0.name) + "=" + Self.encode($0.value) }
        return path + "?" + items.joined(separator: "&")
    }

    private static func encode(_ text: String, keeping kept: Character? = nil) -> String {
        var result = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
            if isPlain || character == kept {
                result.append(character)
            } else {
                result += "%" + [byte].hex.uppercased()
            }
        }
        return result
    }
}

/// The answer of a record service.
public struct TransportResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The headers by their names in lower case.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Makes an answer; the names of the headers may be in any case.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(
            headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }
}
