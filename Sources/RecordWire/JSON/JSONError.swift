/// Why a text is not the JSON that was expected.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
        case syntax = "JSON_SYNTAX"
        case depth = "JSON_DEPTH"
        case shape = "JSON_SHAPE"
        case size = "JSON_SIZE"
    }

    private let kind: Kind
    /// What is wrong.
    public let message: String
    /// What the message leaves unsaid, where its words are Apple's; nil where it says all.
    public let detail: String?
    /// Where in the text, in bytes from its start; nil when the position is named in the message.
    public let offset: Int?

    private init(_ kind: Kind, _ message: String, detail: String? = nil, offset: Int?) {
        self.kind = kind
        self.message = message
        self.detail = detail
        self.offset = offset
    }

    /// The text is not JSON.
    static func syntax(_ message: String, at offset: Int) -> JSONError {
        JSONError(.syntax, message, offset: offset)
    }

    /// The text nests deeper than the reader follows.
    static func depth(_ limit: Int, at offset: Int) -> JSONError {
        JSONError(.depth, "The JSON nests deeper than \(limit) levels.", offset: offset)
    }

    /// The text holds more values than the reader has memory for.
    static func size(at offset: Int) -> JSONError {
        JSONError(
            .size, "The JSON holds more values than are taken at once.",
            detail: "Send fewer records or shorter lists in one request.", offset: offset)
    }

    /// The JSON is well formed, but not what the protocol wants.
    public static func shape(_ message: String, detail: String? = nil) -> JSONError {
        JSONError(.shape, message, detail: detail, offset: nil)
    }

    /// The same error with the position at which it came up in front.
    func inside(_ place: String) -> JSONError {
        JSONError(kind, "\(place): \(message)", detail: detail, offset: offset)
    }

    /// The static name of this kind of error.
    public var code: String { kind.rawValue }

    public var description: String {
        offset.map { "\(message) (at byte \($0))" } ?? message
    }
}
