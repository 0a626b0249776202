internal import CurlAccess
internal import Foundation
internal import Synchronization

/// Requests to providers: small answers, in little time, without redirections, and only so many at once.
///
/// They run on libcurl's thread. Whoever waits for one keeps no thread of an event loop and not the writing one.
final class ProviderTransport: Sendable {
    /// The longest that a request may take.
    static let seconds = 10.0
    /// The longest answer in bytes.
    static let mostBytes = 262_144
    /// The most requests to all providers at once.
    static let most = 32

    private let client = CurlClient(connectionsPerHost: 4)
    private let seconds: Double
    private let count = Mutex(0)

    init(seconds: Double = ProviderTransport.seconds) { self.seconds = seconds }

    /// The body of a document.
    ///
    /// - Throws: ``ProviderFailure``; `CancellationError`.
    func get(_ url: String) async throws -> [UInt8] {
        var request = CurlRequest(url: url, to: .memory(maximumBytes: Self.mostBytes))
        request.headers = ["Accept": "application/json"]
        let response = try await send(request)
        guard response.status == 200 else {
            throw ProviderFailure(.unreachable, "'\(url)' was answered with \(response.status).")
        }
        return response.body
    }

    /// Sends a form, and gives the answer whatever its status.
    ///
    /// - Throws: ``ProviderFailure``; `CancellationError`.
    func post(_ form: [(String, String)], to url: String, headers: [String: String]) async throws
        -> (status: Int, body: [UInt8])
    {
        let text = form.map { "\(FormText.encoded($0))=\(FormText.encoded($1))" }.joined(separator: "&")
        var request = CurlRequest(
            url: url, body: .bytes(Array(text.utf8), type: "application/x-www-form-urlencoded"),
            to: .memory(maximumBytes: Self.mostBytes))
        request.headers = headers.merging(["Accept": "application/json"]) { first, _ in first }
        let response = try await send(request)
        return (response.status, response.body)
    }

    private func send(_ request: CurlRequest) async throws -> CurlResponse {
        guard
            count.withLock({ count in
                guard count < Self.most else { return false }
                count += 1
                return true
            })
        else { throw ProviderFailure(.busy, "\(Self.most) requests to providers are under way.") }
        defer { count.withLock { $0 -= 1 } }
        var request = request
        request.secondsWithoutBytes = seconds
        request.seconds = seconds
        request.followsRedirections = false
        do {
            return try await client.send(request)
        } catch let error as CurlError {
            // The visitor went; that says nothing of the provider.
            if error.kind == .cancelled { throw CancellationError() }
            throw ProviderFailure(.unreachable, "'\(request.url)' did not answer: \(error)")
        }
    }
}

/// Values as forms and addresses carry them.
enum FormText {
    static func encoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
