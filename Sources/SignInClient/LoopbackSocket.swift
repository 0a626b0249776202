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
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Programs that are started meanwhile must not keep the port, and nobody who waits may hold the thread.
        let isSet = fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 && fcntl(socket, F_SETFL, O_NONBLOCK) == 0
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard isSet, isBound else {
            // Nobody was at it.
            close(socket)
            return nil
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// Sends a short answer; what a peer does not take at once is dropped.
    static func deliver(_ text: String, to socket: Int32) {
        #if canImport(Darwin)
        var on: Int32 = 1
        // Without it a peer that left would end the process; a socket of ours takes it.
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let bytes = Array(text.utf8)
        // The browser's page is for people; the program goes on without it.
        _ = send(socket, bytes, bytes.count, flags)
        // A peer that has left needs no end.
        shutdown(socket, Int32(SHUT_WR))
    }
}
