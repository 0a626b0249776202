import Foundation

/// Tells the service manager that started this process that it serves, as sd_notify(3) of systemd describes: a datagram to
/// the socket that the environment names.
enum ServiceManager {
    /// Says that the server listens. Nothing happens where no manager asked for it.
    ///
    /// - Returns: false when a manager that asked could not be notified: it would end the process after a while.
    static func tellReady(environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return true }
        #if os(Linux)
        return send("READY=1", to: name)
        #else
        return true
        #endif
    }

    #if os(Linux)
    private static func send(_ message: String, to name: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with @ is one of the abstract namespace, where a zero byte is in its place.
        var path = Array(name.utf8)
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // The length counts: an abstract name ends where the address does.
        let length = MemoryLayout<sa_family_t>.size + path.count
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(length))
            }
        }
        return sent == bytes.count
    }
    #endif
}
