import Foundation
import Synchronization

/// A server on a port of this machine that answers as a closure says, also badly.
final class LoopbackServer: Sendable {
    /// What a request is answered with.
    enum Answer: Sendable {
        case json(String, status: String = "200 OK")
        case redirect(to: String)
        /// A body without an end.
        case endless
        /// A byte of a body now and then, without an end.
        case slow
        case silence
    }

    struct Request: Sendable {
        var path: String
        var head: String
        var body: String
    }

    let url: String
    private let listener: Int32
    private let seen = Mutex<[Request]>([])
    private let handler: @Sendable (Request) -> Answer

    var requests: [Request] { seen.withLock { $0 } }
    func count(of path: String) -> Int { requests.count { $0.path == path } }

    init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        self.listener = listener
        self.handler = handler
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 32) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let request = read(connection) else { return }
        seen.withLock { $0.append(request) }
        switch handler(request) {
        case .json(let body, let status):
            send(
                "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n" + body, connection)
        case .redirect(let target):
            send(
                "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                connection)
        case .endless:
            send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", connection)
            while send(String(repeating: " ", count: 65_536), connection) {}
        case .slow:
            send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", connection)
            while send(" ", connection) { usleep(50_000) }
        case .silence: var byte: UInt8 = 0; _ = recv(connection, &byte, 1, 0)
        }
    }

    @discardableResult
    private func send(_ text: String, _ connection: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length =
                    head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if bytes.count >= end.upperBound + length {
                    return Request(
                        path: String(head.split(separator: " ").dropFirst().first ?? ""), head: head,
                        body: String(decoding: bytes[end.upperBound...].prefix(length), as: UTF8.self))
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
