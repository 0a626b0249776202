internal import CCurl
internal import Foundation
internal import Synchronization

/// One request on its way.
///
/// Sendable is unchecked: the task that makes a transfer hands it to the thread of ``CurlLoop``, and only that thread
/// touches it from then on, apart from `isCancelled`, which has a lock.
final class CurlTransfer: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<CurlResponse, any Error>

    private let request: CurlRequest
    private let body: CurlBody?
    /// The one who waits, until it is told.
    private var waiter: Waiter?
    private let cancellation = Mutex(false)

    private(set) var handle: UnsafeMutableRawPointer?
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private let detail: UnsafeMutablePointer<CChar>

    private var response = CurlResponse()
    private var file: OpenFile?
    private var received: Int64 = 0
    /// Why the transfer was given up on this side.
    private var failure: CurlError?
    private var lastMove = ContinuousClock.now
    private var began = ContinuousClock.now
    /// Whether an address was refused; another one of the server may have been taken.
    private var hasRefusedAddress = false
    /// Whether the part of the answer that is wanted is there.
    private var hasEnough = false

    /// Opens what the request sends.
    ///
    /// - Throws: ``CurlError`` of the kind `file`.
    init(_ request: CurlRequest) throws(CurlError) {
        self.request = request
        body = try CurlBody(request.body)
        detail = .allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        release()
        detail.deallocate()
    }

    /// Gives back what libcurl holds for the transfer, on the thread of the loop where it was there.
    private func release() {
        if let handle { curl_easy_cleanup(handle) }
        curl_slist_free_all(headerLines)
        handle = nil
        headerLines = nil
    }

    // MARK: Any thread

    /// Whether the task that waits was cancelled.
    var isCancelled: Bool { cancellation.withLock { $0 } }

    func noteCancelled() { cancellation.withLock { $0 = true } }

    /// Takes the one who waits, before the transfer is handed over.
    func begin(for waiter: Waiter) { self.waiter = waiter }

    // MARK: The loop's thread

    /// When the transfer has waited too long for a byte, or has taken too long; nil where it may wait for ever.
    var deadline: ContinuousClock.Instant? {
        [
            Self.instant(request.secondsWithoutBytes, after: lastMove),
            Self.instant(request.seconds ?? 0, after: began),
        ].compactMap { $0 }.min()
    }

    private static func instant(
        _ seconds: Double, after start: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        seconds > 0 && seconds < 1_000_000_000 ? start + .seconds(seconds) : nil
    }

    /// Makes libcurl's handle for the request.
    func prepare() throws(CurlError) {
        guard let handle = curl_easy_init() else {
            throw CurlError(CURLE_OUT_OF_MEMORY, systemError: 0, detail: "")
        }
        self.handle = handle
        lastMove = .now
        began = lastMove
        let this = Unmanaged.passUnretained(self).toOpaque()
        try check(stratus_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, detail))
        try check(stratus_curl_set_text(handle, CURLOPT_URL, request.url))
        try check(stratus_curl_allow_http_only(handle))
        try check(
            stratus_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, request.followsRedirections ? 1 : 0))
        try check(stratus_curl_set_number(handle, CURLOPT_MAXREDIRS, 5))
        if request.asksForHTTP2 {
            try check(stratus_curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(stratus_curl_http2_tls)))
            // Rather a stream of a connection that is being made than another connection.
            try check(stratus_curl_set_number(handle, CURLOPT_PIPEWAIT, 1))
        }
        if let certificates = request.certificates {
            try check(stratus_curl_set_text(handle, CURLOPT_CAINFO, certificates))
        }
        if request.addresses == .publicOnly {
            // What a proxy connects to, nobody here could look at.
            try check(stratus_curl_set_text(handle, CURLOPT_PROXY, ""))
            try check(stratus_curl_set_opener(handle, Self.openSocket, this))
        }
        // Without it libcurl uses signals for time limits, which no thread of many may have.
        try check(stratus_curl_set_number(handle, CURLOPT_NOSIGNAL, 1))
        try check(stratus_curl_set_text(handle, CURLOPT_USERAGENT, "Stratus"))
        if case .memory = request.destination {
            // Whatever compression this libcurl knows.
            try check(stratus_curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, ""))
        }
        try check(stratus_curl_set_pointer(handle, CURLOPT_HEADERDATA, this))
        try check(stratus_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION, Self.takeHeader))
        try check(stratus_curl_set_pointer(handle, CURLOPT_WRITEDATA, this))
        try check(stratus_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION, Self.takeBytes))
        for (name, value) in request.headers {
            headerLines = curl_slist_append(headerLines, "\(name): \(value)")
        }
        if let body { try prepare(body, handle, this) }
        if request.method == "HEAD" {
            // Without a body of an answer to wait for.
            try check(stratus_curl_set_number(handle, CURLOPT_NOBODY, 1))
        } else if let method = request.method {
            try check(stratus_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method))
        }
        if headerLines != nil { try check(stratus_curl_set_list(handle, CURLOPT_HTTPHEADER, headerLines)) }
    }

    private func prepare(
        _ body: CurlBody, _ handle: UnsafeMutableRawPointer, _ this: UnsafeMutableRawPointer
    ) throws(CurlError) {
        try check(stratus_curl_set_number(handle, CURLOPT_POST, 1))
        try check(stratus_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.size)))
        try check(stratus_curl_set_pointer(handle, CURLOPT_READDATA, this))
        try check(stratus_curl_set_bytes(handle, CURLOPT_READFUNCTION, Self.giveBytes))
        try check(stratus_curl_set_pointer(handle, CURLOPT_SEEKDATA, this))
        try check(stratus_curl_set_seek(handle, Self.goBack))
        headerLines = curl_slist_append(headerLines, "Content-Type: \(body.type)")
    }

    private func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code, systemError: 0, detail: String(cString: detail)) }
    }

    /// Ends the transfer as libcurl says it ended.
    func finish(_ code: CURLcode) {
        if let failure { return finish(failure) }
        guard code == CURLE_OK || hasEnough else {
            if hasRefusedAddress { return finish(.refusedAddress) }
            return finish(
                CurlError(code, systemError: number(CURLINFO_OS_ERRNO), detail: String(cString: detail)))
        }
        response.status = number(CURLINFO_RESPONSE_CODE)
        response.isHTTP2 = number(CURLINFO_HTTP_VERSION) == Int(stratus_curl_http2)
        do throws(CurlError) {
            // An empty body brings no bytes that would have made the file.
            if case .file(let path, _) = request.destination, response.isSuccess, file == nil {
                file = try OpenFile(creating: path)
            }
            try file?.close()
        } catch { return finish(error) }
        release()
        tell(.success(response))
    }

    func finish(_ error: CurlError) {
        release()
        // The file is closed before anybody removes it.
        file = nil
        tell(.failure(error))
    }

    private func tell(_ result: Result<CurlResponse, any Error>) {
        assert(waiter != nil, "A transfer ends once")
        waiter?.resume(with: result)
        waiter = nil
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return stratus_curl_number(handle, info, &value) == CURLE_OK ? value : 0
    }

    // MARK: What libcurl calls

    private static func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
        pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// One line of a head. That of another answer, after a redirection say, starts over.
    private static let takeHeader: stratus_curl_bytes = { bytes, size, count, pointer in
        let length = size * count
        guard let transfer = transfer(pointer), let bytes else { return 0 }
        transfer.lastMove = .now
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            transfer.response.headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            let known = transfer.response.headers[name]
            transfer.response.headers[name] = known.map { $0 + ", " + value } ?? value
        }
        return length
    }

    /// Bytes of the answer's body. Another count than the given one ends the transfer.
    private static let takeBytes: stratus_curl_bytes = { bytes, size, count, pointer in
        let length = size * count
        guard let transfer = transfer(pointer), let bytes else { return 0 }
        transfer.lastMove = .now
        do throws(CurlError) {
            try transfer.take(UnsafeRawBufferPointer(start: bytes, count: length))
            // Another count ends the transfer.
            return transfer.hasEnough ? (length == 0 ? 1 : 0) : length
        } catch {
            transfer.failure = error
            return length == 0 ? 1 : 0
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(CurlError) {
        switch request.destination {
        case .memory(let most):
            guard response.body.count + bytes.count <= most else { throw .tooLong }
            response.body.append(contentsOf: bytes)
        case .beginning(let most):
            response.body.append(contentsOf: bytes.prefix(most - response.body.count))
            hasEnough = response.body.count >= most
        case .stream(let taker):
            guard (200..<300).contains(number(CURLINFO_RESPONSE_CODE)) else {
                let room = CurlRequest.fileAnswerBytes - response.body.count
                response.body.append(contentsOf: bytes.prefix(max(0, room)))
                return
            }
            taker(Array(bytes))
        case .file(let path, let most):
            guard (200..<300).contains(number(CURLINFO_RESPONSE_CODE)) else {
                let room = CurlRequest.fileAnswerBytes - response.body.count
                response.body.append(contentsOf: bytes.prefix(max(0, room)))
                return
            }
            guard received + Int64(bytes.count) <= most else { throw .tooLong }
            let target: OpenFile
            if let file { target = file } else { target = try OpenFile(creating: path) }
            file = target
            try target.write(bytes)
            received += Int64(bytes.count)
            request.onProgress?(received)
        }
    }

    /// A socket to an address, unless the request may not go there.
    private static let openSocket: stratus_curl_opener = { pointer, _, address in
        guard let transfer = transfer(pointer), let address else { return CURL_SOCKET_BAD }
        let isPublic = stratus_curl_address(address).map { AddressRule.isPublic($0) } ?? false
        guard isPublic else {
            transfer.hasRefusedAddress = true
            return CURL_SOCKET_BAD
        }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, kind, address.pointee.protocol)
    }

    private static let giveBytes: stratus_curl_bytes = { bytes, size, count, pointer in
        guard let transfer = transfer(pointer), let body = transfer.body, let bytes else { return 0 }
        transfer.lastMove = .now
        do throws(CurlError) {
            let given = try body.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            if given > 0 { transfer.request.onProgress?(body.offset) }
            return given
        } catch {
            transfer.failure = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    private static let goBack: stratus_curl_seek = { pointer, offset, origin in
        guard origin == SEEK_SET, let body = transfer(pointer)?.body, body.seek(to: Int64(offset)) else {
            return Int32(CURL_SEEKFUNC_FAIL)
        }
        return Int32(CURL_SEEKFUNC_OK)
    }
}
