import CurlAccess
import Foundation
import Testing

/// Somebody at the sign-in page, with a browser that keeps cookies and follows nothing by itself.
final class PageVisitor {
    struct Page {
        let status: Int
        let location: String?
        let text: String

        /// The values of the hidden and filled fields of the form to an address.
        func form(to action: String) throws -> [String: String] {
            let forms = text.components(separatedBy: "<form").dropFirst()
            let form = try #require(forms.first { $0.contains("action=\"\(action)") }, "No form to \(action)")
            let inputs = form.components(separatedBy: "<input").dropFirst()
            var values: [String: String] = [:]
            for input in inputs {
                guard let name = input.firstMatch(of: /name="([^"]*)"/)?.1 else { continue }
                values[String(name)] = String(input.firstMatch(of: /value="([^"]*)"/)?.1 ?? "")
            }
            return values
        }
    }

    private let client = CurlClient(connectionsPerHost: 1)
    private var cookies: [String: String] = [:]

    /// What the browser sends of its cookies.
    var cookie: String { cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }

    func get(_ address: String) async throws -> Page {
        try await send(CurlRequest(url: address, to: Self.memory))
    }

    func post(_ address: String, _ form: [String: String]) async throws -> Page {
        let text = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        return try await send(
            CurlRequest(
                url: address, body: .bytes(Array(text.utf8), type: "application/x-www-form-urlencoded"),
                to: Self.memory))
    }

    private static let memory = CurlRequest.Destination.memory(maximumBytes: 1_000_000)

    private func send(_ request: CurlRequest) async throws -> Page {
        var request = request
        request.followsRedirections = false
        request.headers["Cookie"] = cookie
        let answer = try await client.send(request)
        for match in (answer.headers["set-cookie"] ?? "").matches(of: /(stratus_[a-z0-9_]+)=([^;,]*)/) {
            cookies[String(match.1)] = String(match.2)
        }
        return Page(
            status: answer.status, location: answer.headers["location"],
            text: String(decoding: answer.body, as: UTF8.self))
    }
}
