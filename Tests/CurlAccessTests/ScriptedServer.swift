import Foundation
import Synchronization

/// A server on a port of this machine that answers each request with the bytes that a script has for its path.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let seen = Mutex<[(path: String, bodyBytes: Int)]>([])

    /// What was asked so far.
    var requests: [(path: String, bodyBytes: Int)] { seen.withLock { $0 } }

    /// The heads of what was asked so far.
    var heads: [String] { seenHeads.withLock { $0 } }
    private let seenHeads = Mutex<[String]>([])

    /// Listens; a path without an answer gets none, and its connection stays open.
    init(_ answers: [String: [UInt8]]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        self.listener = listener
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
                Thread { [self] in serve(connection, answers) }.start()
            }
        }.start()
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32, _ answers: [String: [UInt8]]) {
        var bytes: [UInt8] = []
        while let end = head(&bytes, connection) {
            let head = String(decoding: bytes[..<end], as: UTF8.self)
            let path = String(head.split(separator: " ").dropFirst().first ?? "")
            let length =
                head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
            while bytes.count < end + length, read(&bytes, connection) {}
            seenHeads.withLock { $0.append(head) }
            seen.withLock { $0.append((path, min(length, bytes.count - end))) }
            bytes.removeFirst(min(bytes.count, end + length))
            guard let answer = answers[path] else { continue }
            _ = answer.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if String(decoding: answer.prefix(200), as: UTF8.self).contains("Connection: close") { break }
        }
        close(connection)
    }

    private func head(_ bytes: inout [UInt8], _ connection: Int32) -> Int? {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) { return end.upperBound }
            guard read(&bytes, connection) else { return nil }
        }
    }

    private func read(_ bytes: inout [UInt8], _ connection: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }
}
