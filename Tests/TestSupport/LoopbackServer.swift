import Foundation
import Synchronization

/// A server on a port of this machine that answers as a closure says, also badly.
public final class LoopbackServer: Sendable {
    /// What a request is answered with.
    public enum Answer: Sendable {
        case json(String, status: String = "200 OK")
        case redirect(to: String)
        /// These bytes, head and all. The connection stays open for the next request, unless they say `Connection: close`.
        case bytes([UInt8])
        /// A body without an end.
        case endless
        /// A byte of a body now and then, without an end.
        case slow
        /// Nothing, and the connection stays open.
        case silence
    }

    /// What was asked.
    public struct Request: Sendable {
        /// The second word of the first line.
        public var path: String
        /// All before the body.
        public var head: String
        /// What came of it before the connection ended.
        public var body: [UInt8]

        /// The body as text.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Where it listens.
    public let port: UInt16
    private let listener: Int32
    private let seen = Mutex<[Request]>([])
    private let handler: @Sendable (Request) -> Answer

    /// The address, without a slash at its end.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// What was asked so far.
    public var requests: [Request] { seen.withLock { $0 } }

    /// How often a path was asked for.
    public func count(of path: String) -> Int { requests.count { $0.path == path } }

    /// Answers each path with the bytes that a script has for it, and others not at all.
    public convenience init(_ answers: [String: [UInt8]]) throws {
        try self.init { answers[$0.path].map(Answer.bytes) ?? .silence }
    }

    /// Listens.
    public init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
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
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    /// Takes no more connections; those that are open go on.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        while let request = read(connection, &bytes) {
            seen.withLock { $0.append(request) }
            guard answer(handler(request), connection) else { return }
        }
    }

    /// False where the connection is to be closed.
    private func answer(_ answer: Answer, _ connection: Int32) -> Bool {
        switch answer {
        case .json(let body, let status):
            send(
                "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n" + body, connection)
        case .redirect(let target):
            send(
                "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                connection)
        case .bytes(let bytes):
            let isLast = String(decoding: bytes.prefix(200), as: UTF8.self).contains("Connection: close")
            return send(bytes[...], connection) && !isLast
        case .endless:
            send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", connection)
            while send(String(repeating: " ", count: 65_536), connection) {}
        case .slow:
            send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", connection)
            while send(" ", connection) { usleep(50_000) }
        case .silence: return true
        }
        return false
    }

    @discardableResult
    private func send(_ text: String, _ connection: Int32) -> Bool { send(Array(text.utf8)[...], connection) }

    private func send(_ bytes: ArraySlice<UInt8>, _ connection: Int32) -> Bool {
        var bytes = bytes
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// The next request, which leaves the bytes; nil where the connection ended before its head was whole.
    private func read(_ connection: Int32, _ bytes: inout [UInt8]) -> Request? {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length =
                    head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                while bytes.count < end.upperBound + length, receive(connection, &bytes) {}
                let body = bytes[end.upperBound...].prefix(length)
                bytes.removeFirst(body.endIndex)
                return Request(
                    path: String(head.split(separator: " ").dropFirst().first ?? ""), head: head,
                    body: Array(body))
            }
            guard receive(connection, &bytes) else { return nil }
        }
    }

    private func receive(_ connection: Int32, _ bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }
}
