internal import CCurl
internal import Foundation

/// Why there is no answer.
public struct CurlError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, as far as callers tell it apart.
    public enum Kind: Sendable {
        /// The task that waited was cancelled.
        case cancelled
        /// No byte moved for the time that was given, or all of it took too long.
        case timedOut
        /// This machine has no way to the network of the server.
        case noNetwork
        /// The server's name is not known.
        case unknownHost
        /// Nobody takes connections at the address.
        case cannotConnect
        /// The two sides did not agree on a secure connection, or the server's certificate is not trusted.
        case insecure
        /// The address is none that can be asked.
        case badURL
        /// The answer has more bytes than were asked for.
        case tooLong
        /// The file to send or to write cannot be used.
        case file
        /// All of the server's addresses are such as the request may not go to.
        case refusedAddress
        /// The connection broke; the server may have got the request.
        case connectionLost
    }

    /// What went wrong.
    public let kind: Kind
    /// What happened, in a sentence.
    public let description: String

    init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        description = sentence
    }

    /// An error of the system with a file.
    init(file path: String, _ number: Int32) {
        self.init(.file, "The file '\(path)' cannot be used: \(String(cString: strerror(number))).")
    }

    static let cancelled = CurlError(.cancelled, "The request was cancelled.")
    static let timedOut = CurlError(.timedOut, "The request took longer than the time that was given.")
    static let refusedAddress = CurlError(
        .refusedAddress, "The server's address is not one of the public internet.")
    static let tooLong = CurlError(.tooLong, "The answer has more bytes than were asked for.")

    /// An error of libcurl.
    ///
    /// - Parameter detail: what it says about this one; where that is nothing, its text for the code.
    init(_ code: CURLcode, systemError: Int, detail: String) {
        let sentence = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        self.init(Self.kind(of: code, systemError: systemError), sentence)
    }

    private static func kind(of code: CURLcode, systemError: Int) -> Kind {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
        case CURLE_COULDNT_CONNECT:
            [ENETUNREACH, ENETDOWN].contains(Int32(truncatingIfNeeded: systemError))
                ? .noNetwork : .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ENGINE_NOTFOUND:
            .insecure
        default: .connectionLost
        }
    }
}
