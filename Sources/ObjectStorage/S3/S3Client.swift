import Crypto
import CurlAccess
import Foundation

/// How often a request is tried, and how long is waited between.
public struct S3Retries: Sendable {
    /// The most attempts.
    public var attempts = 6
    /// The wait after the first one, in seconds; it doubles, with up to as much again by chance.
    public var firstSeconds = 0.2
    /// The longest wait, in seconds.
    public var longestSeconds = 10.0

    /// The usual ones.
    public init() {}

    func pause(after attempt: Int) -> Duration {
        let seconds = min(longestSeconds, firstSeconds * Double(1 << min(attempt, 20)))
        // All clients of a store that was busy must not come again at once.
        return .seconds(seconds * Double.random(in: 0.5...1))
    }
}

/// Signs requests, sends them, and sends them again where the store was busy or the connection broke.
struct S3Client: Sendable {
    let location: S3Location
    let credentials: S3Credentials
    var retries = S3Retries()
    var http = CurlClient.shared
    var now: @Sendable () -> Date = { Date() }

    /// A request that is not signed yet.
    struct Request {
        var method: String
        var key: String
        var query: [(name: String, value: String)] = []
        var headers: [String: String] = [:]
        var body: [UInt8]?
        var destination = CurlRequest.Destination.memory(maximumBytes: 8 << 20)
    }

    /// The longest time in which no byte moves.
    private static let secondsWithoutBytes = 30.0

    /// Sends a request until the store answers it.
    ///
    /// - Returns: the answer of success, or nil where there is no object of the key.
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func send(_ request: Request) async throws -> CurlResponse? {
        var attempt = 0
        while true {
            attempt += 1
            var failure: ObjectStorageError
            do {
                let answer = try await http.send(signed(request))
                if answer.isSuccess, !Self.isFailureInside(answer, request) { return answer }
                Self.remove(request.destination)
                if answer.status == 404, Self.code(answer) != "NoSuchBucket", request.key != "" { return nil }
                failure = error(answer)
                guard Self.isTemporary(answer) else { throw failure }
            } catch let error as CurlError {
                // A file that could not be made may be somebody's that was there.
                if error.kind != .file { Self.remove(request.destination) }
                if error.kind == .cancelled { throw CancellationError() }
                if error.kind == .file || error.kind == .tooLong { throw Self.local(error, request) }
                failure = .unreachable(location.endpoint, error)
                if error.kind == .insecure || error.kind == .badURL { throw failure }
            }
            guard attempt < retries.attempts else { throw failure }
            try await Task.sleep(for: retries.pause(after: attempt - 1))
        }
    }

    /// Removes what came so far, which is in the way of the next attempt.
    private static func remove(_ destination: CurlRequest.Destination) {
        guard case .file(let path, _) = destination else { return }
        // Where it cannot be removed, the next attempt says why.
        unlink(path)
    }

    private func signed(_ request: Request) -> CurlRequest {
        let time = now().formatted(.iso8601).filter { !"-:".contains($0) }
        let path = location.path(of: request.key)
        let digest = request.body.map { S3Signature.hex(SHA256.hash(data: $0)) } ?? S3Signature.emptySHA256
        var headers = request.headers
        headers["host"] = location.host
        headers["x-amz-date"] = time
        headers["x-amz-content-sha256"] = digest
        if let token = credentials.sessionToken { headers["x-amz-security-token"] = token }
        if let body = request.body, !body.isEmpty {
            // Every store compares this one; not all of them know the newer checksums.
            headers["content-md5"] = Data(Insecure.MD5.hash(data: body)).base64EncodedString()
        }
        let signature = S3Signature(credentials: credentials, region: location.region)
        let text = signature.authorization(
            .init(
                method: request.method, path: path, query: request.query, headers: headers, bodySHA256: digest
            ),
            time: time)
        let query = request.query.isEmpty ? "" : "?" + S3Signature.queryText(request.query)
        var sent = CurlRequest(
            url: location.origin + path + query,
            body: request.body.map { .bytes($0, type: "application/octet-stream") } ?? .none,
            to: request.destination, secondsWithoutBytes: Self.secondsWithoutBytes)
        sent.method = request.method
        sent.followsRedirections = false
        headers["Authorization"] = text
        // Without it libcurl asks first whether it may send, and waits a second where nobody answers that.
        headers["Expect"] = ""
        headers["host"] = nil
        sent.headers = headers
        return sent
    }

    private static func code(_ answer: CurlResponse) -> String {
        S3Answer.text("Code", in: String(decoding: answer.body, as: UTF8.self)) ?? ""
    }

    /// Whether an answer of status 200 is none of success: that of a multipart upload begins before it is known.
    private static func isFailureInside(_ answer: CurlResponse, _ request: Request) -> Bool {
        request.method == "POST" && answer.body.starts(with: "<?xml".utf8)
            && String(decoding: answer.body.prefix(200), as: UTF8.self).contains("<Error>")
    }

    private static func isTemporary(_ answer: CurlResponse) -> Bool {
        answer.isSuccess || [408, 429, 500, 502, 503, 504].contains(answer.status)
            || ["SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "BadDigest"]
                .contains(code(answer))
    }

    private static func local(_ error: CurlError, _ request: Request) -> ObjectStorageError {
        if error.kind == .tooLong { return .tooLong(request.key) }
        if case .file(let path, _) = request.destination {
            // libcurl's sentence has the system's; the number is gone.
            let isFull = error.description.contains(String(cString: strerror(ENOSPC)))
            return .file("written", path, isFull ? ENOSPC : EIO)
        }
        return .file("read", request.key, EIO)
    }

    private func error(_ answer: CurlResponse) -> ObjectStorageError {
        let body = String(decoding: answer.body.prefix(4_096), as: UTF8.self)
        return .answer(
            answer.status, code: S3Answer.text("Code", in: body) ?? "",
            message: String((S3Answer.text("Message", in: body) ?? "").prefix(200)), location: location.text,
            region: location.region, skew: skew(answer))
    }

    /// By how many seconds this machine's clock is ahead of the store's.
    private func skew(_ answer: CurlResponse) -> Int {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = answer.headers["date"].flatMap(formatter.date) else { return 0 }
        return Int(clamping: Int64(now().timeIntervalSince(date)))
    }
}
