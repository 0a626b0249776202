import Foundation
import NIOCore

extension Channel {
    /// Ends the connection at once: what waits in the system's memory goes with it.
    func abort() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}
