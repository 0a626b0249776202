import Foundation
import Testing

/// A socket to a server of this process, for clients that behave as no library does.
///
/// Every call waits on a thread of its own: the server needs the tasks' threads.
final class RawConnection: Sendable {
    private let descriptor: Int32
    /// After so long without a byte the server is taken for stuck, and a read ends with what there is.
    private static let patienceSeconds = 120

    init(_ port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var timeout = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
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
    }

    deinit { close(descriptor) }

    private func onThread<Value: Sendable>(_ work: @escaping @Sendable (Int32) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: work(descriptor)) }
        }
    }

    /// Sends bytes; false when the server has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await onThread { descriptor in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// Reads until a text has come, or the connection has ended.
    func read(until end: String) async -> String {
        await onThread { descriptor in
            var received: [UInt8] = []
            var byte: UInt8 = 0
            while !String(decoding: received, as: UTF8.self).hasSuffix(end),
                recv(descriptor, &byte, 1, 0) == 1
            { received.append(byte) }
            return String(decoding: received, as: UTF8.self)
        }
    }

    /// The first line and the headers of an answer.
    func readHead() async -> String { await read(until: "\r\n\r\n") }

    /// Reads until the connection ends, and gives the number of bytes.
    func readToEnd() async -> Int {
        await onThread { descriptor in
            var piece = [UInt8](repeating: 0, count: 65_536)
            var total = 0
            while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 { total += count }
            return total
        }
    }
}
