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

    /// It waits on a thread of its own: the server in the same process needs the tasks' threads.
    static func send(
        _ port: Int, _ method: String, _ path: String, _ header: String? = nil
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try exchange(port, method, path, header) })
            }
        }
    }

    private static func exchange(
        _ port: Int, _ method: String, _ path: String, _ header: String?
    ) throws -> Answer {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let more = header.map { $0 + "\r\n" } ?? ""
        let text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(more)Connection: close\r\n\r\n"
        var sent = 0
        let bytes = Array(text.utf8)
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            try #require(count > 0)
            sent += count
        }
        return try answer(from: descriptor)
    }

    private static func answer(from descriptor: Int32) throws -> Answer {
        var received = Data()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
            received.append(contentsOf: piece[..<count])
        }
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
