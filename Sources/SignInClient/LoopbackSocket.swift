internal import Foundation

/// The socket calls whose names differ between systems.
enum LoopbackSocket {
    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    private static let flags: Int32 = 0
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let flags = Int32(MSG_NOSIGNAL)
    #endif

    /// Listens at a port of 127.0.0.1 that the system chooses; nil where there is none.
    static func open() -> (socket: Int32, port: UInt16)? {
        let socket = socket(AF_INET, stream, 0)
        guard socket >= 0 else { return nil }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard isBound else {
            close(socket)
            return nil
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// Sends a short answer; what a peer does not take at once is dropped.
    static func deliver(_ text: String, to socket: Int32) {
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let bytes = Array(text.utf8)
        _ = send(socket, bytes, bytes.count, flags)
        shutdown(socket, Int32(SHUT_WR))
    }
}
