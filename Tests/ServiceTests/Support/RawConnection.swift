import Foundation
import Testing

/// A connection whose client does only what the test says, also what no client's library would do.
///
/// Its calls wait on a thread of their own: the server in the same process needs the tasks' threads.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Parameter receiveBytes: how much the system takes in for a client that does not read; nil for the usual.
    init(port: Int, receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        if var receiveBytes { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, 4) }
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
    }

    deinit { close(descriptor) }

    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }

    /// Sends a text; false where the other side does not take it.
    @discardableResult
    func send(_ text: String) async -> Bool {
        await onThread { [descriptor] in
            let bytes = Array(text.utf8)
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

    /// Says that nothing more will be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets the connection break when it is closed, instead of ending it.
    func breakAtClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Up to so many bytes; empty at the end, nil where the connection broke.
    func read(upTo count: Int = 65_536) async -> [UInt8]? {
        await onThread { [descriptor] in
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
        await onThread { [descriptor] in
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&wait, 1, seconds * 1_000) > 0
        }
    }
}
