internal import CCurl
internal import Dispatch
internal import Foundation

/// A mail that goes out over SMTP with libcurl.
public struct CurlMail: Sendable {
    /// Where mails are handed in.
    public struct Server: Sendable {
        /// `smtp://host:port` or `smtps://host:port`.
        public var url: String
        /// Who hands them in; nil for a server that asks for nobody's name.
        public var user: String?
        /// The password of the user.
        public var password: String?
        /// A file with certificates to trust; nil for those of the system.
        public var certificates: String?
        /// Whether a server without TLS will do: for one on this machine alone.
        public var allowsPlain: Bool

        /// Makes a server.
        public init(
            url: String, user: String? = nil, password: String? = nil, certificates: String? = nil,
            allowsPlain: Bool = false
        ) {
            self.url = url
            self.user = user
            self.password = password
            self.certificates = certificates
            self.allowsPlain = allowsPlain
        }
    }

    /// The sender's address, without name and brackets.
    public var sender: String
    /// The receiver's address.
    public var receiver: String
    /// The whole mail with its header, lines ended by CRLF.
    public var text: [UInt8]

    /// Collects what is sent. Addresses must have no brackets and no line breaks.
    public init(sender: String, receiver: String, text: [UInt8]) {
        self.sender = sender
        self.receiver = receiver
        self.text = text
    }

    private static let queue = DispatchQueue(label: "stratus.mail")
    /// The longest that handing in one mail may take.
    private static let mostSeconds = 60

    /// Hands the mail in, on a thread of its own, one after the other.
    ///
    /// - Throws: ``CurlError`` where the server did not take it.
    public func send(to server: Server) async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            Self.queue.async {
                waiter.resume(with: Result { try transfer(to: server) })
            }
        }
    }

    /// What libcurl reads from.
    private final class Source {
        var rest: ArraySlice<UInt8>
        init(_ bytes: [UInt8]) { rest = bytes[...] }
    }

    private static let give: stratus_curl_bytes = { bytes, size, count, pointer in
        guard let bytes, let pointer else { return 0 }
        let source = Unmanaged<Source>.fromOpaque(pointer).takeUnretainedValue()
        let part = source.rest.prefix(size * count)
        part.withUnsafeBytes { from in
            UnsafeMutableRawBufferPointer(start: bytes, count: part.count).copyMemory(from: from)
        }
        source.rest = source.rest.dropFirst(part.count)
        return part.count
    }

    private func transfer(to server: Server) throws(CurlError) {
        guard let handle = curl_easy_init() else {
            throw CurlError(CURLE_OUT_OF_MEMORY, systemError: 0, detail: "")
        }
        let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let receivers = curl_slist_append(nil, "<\(receiver)>")
        defer {
            curl_easy_cleanup(handle)
            curl_slist_free_all(receivers)
            detail.deallocate()
        }
        func check(_ code: CURLcode) throws(CurlError) {
            guard code == CURLE_OK else {
                throw CurlError(code, systemError: 0, detail: String(cString: detail))
            }
        }
        let source = Source(text)
        let usesTLS = server.allowsPlain ? CURLUSESSL_TRY : CURLUSESSL_ALL
        try check(stratus_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, detail))
        try check(stratus_curl_set_text(handle, CURLOPT_URL, server.url))
        try check(stratus_curl_allow_smtp_only(handle))
        try check(stratus_curl_set_number(handle, CURLOPT_NOSIGNAL, 1))
        try check(stratus_curl_set_number(handle, CURLOPT_TIMEOUT, Self.mostSeconds))
        try check(stratus_curl_set_number(handle, CURLOPT_USE_SSL, Int(usesTLS.rawValue)))
        if let certificates = server.certificates {
            try check(stratus_curl_set_text(handle, CURLOPT_CAINFO, certificates))
        }
        if let user = server.user {
            try check(stratus_curl_set_text(handle, CURLOPT_USERNAME, user))
            try check(stratus_curl_set_text(handle, CURLOPT_PASSWORD, server.password ?? ""))
        }
        try check(stratus_curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(sender)>"))
        try check(stratus_curl_set_list(handle, CURLOPT_MAIL_RCPT, receivers))
        try check(stratus_curl_set_number(handle, CURLOPT_UPLOAD, 1))
        try check(stratus_curl_set_bytes(handle, CURLOPT_READFUNCTION, Self.give))
        try check(
            stratus_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(source).toOpaque()))
        try withExtendedLifetime(source) { () throws(CurlError) in try check(curl_easy_perform(handle)) }
    }
}
