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
        try #require(Self.connect(descriptor, to: port))
    }

    /// Connects a socket to a port of this machine; false where nobody takes it.
    static func connect(_ descriptor: Int32, to port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
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
    func countToEnd() async -> Int {
        await onThread { descriptor in
            var piece = [UInt8](repeating: 0, count: 65_536)
            var total = 0
            while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 { total += count }
            return total
        }
    }

    /// Says that nothing more will be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets the connection break when it is closed, instead of ending it.
    func breakAtClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Up to so many bytes; empty at the end, nil where the connection broke.
    func read(upTo count: Int = 65_536) async -> [UInt8]? {
        await onThread { descriptor in
            var bytes = [UInt8](repeating: 0, count: count)
            let received = recv(descriptor, &bytes, count, 0)
            return received >= 0 ? Array(bytes[..<received]) : nil
        }
    }

    /// All that comes until the other side ends.
    func readToEnd() async -> String {
        var all: [UInt8] = []
        while let bytes = await read(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// Waits, without reading, until the other side ended the connection.
    ///
    /// - Returns: false where it did not within the seconds.
    func isCutOff(within seconds: Int32) async -> Bool {
        await onThread { descriptor in
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&wait, 1, seconds * 1_000) > 0
        }
    }
}
