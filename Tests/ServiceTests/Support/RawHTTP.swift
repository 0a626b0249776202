import Foundation
import Testing

/// One request over a socket, sent exactly as it is written.
enum RawHTTP {
    struct Answer: Sendable {
        var status: Int
        /// Names in lower case.
        var headers: [String: String]
        var body: String
    }

    static func get(_ port: Int, _ path: String, _ header: String? = nil) async throws -> Answer {
        try await send(port, "GET", path, header)
    }

    static func send(
        _ port: Int, _ method: String, _ path: String, _ header: String? = nil
    ) async throws -> Answer {
        let connection = try RawConnection(port)
        let more = header.map { $0 + "\r\n" } ?? ""
        await connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(more)Connection: close\r\n\r\n")
        return try answer(Data(await connection.readToEnd().utf8))
    }

    private static func answer(_ received: Data) throws -> Answer {
        let end = try #require(received.range(of: Data("\r\n\r\n".utf8)))
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        var lines = head.components(separatedBy: "\r\n")
        let status = try #require(Int(lines.removeFirst().split(separator: " ")[1]))
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return Answer(
            status: status, headers: headers,
            body: String(decoding: received[end.upperBound...], as: UTF8.self))
    }
}
