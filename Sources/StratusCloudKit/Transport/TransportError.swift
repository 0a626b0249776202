/// Why a request got no answer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case offline, unreachable, connectionLost, timedOut, cancelled, misconfigured
    }

    let kind: Kind
    /// What happened, in a sentence.
    public let message: String
    /// What the layer beneath said.
    public let cause: (any Error)?

    /// There is no network.
    public static func offline(_ message: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(kind: .offline, message: message, cause: cause)
    }

    /// No connection could be made, so the request was not sent.
    public static func unreachable(_ message: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(kind: .unreachable, message: message, cause: cause)
    }

    /// The connection broke; the service may have got the request.
    public static func connectionLost(_ message: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(kind: .connectionLost, message: message, cause: cause)
    }

    /// No answer came in time; the service may have got the request.
    public static func timedOut(_ message: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(kind: .timedOut, message: message, cause: cause)
    }

    /// The address or another setting cannot be used.
    public static func misconfigured(_ message: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(kind: .misconfigured, message: message, cause: cause)
    }

    /// The request was given up because its task was cancelled.
    static func cancelled(cause: (any Error)?) -> TransportError {
        TransportError(kind: .cancelled, message: "The request was cancelled.", cause: cause)
    }

    /// The sentence and the cause.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
