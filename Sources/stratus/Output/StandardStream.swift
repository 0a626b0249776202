import Foundation
import Synchronization

/// A stream of the process, which remembers what became of it.
final class StandardStream: Sendable {
    static let output = StandardStream(STDOUT_FILENO)
    static let error = StandardStream(STDERR_FILENO)

    private let descriptor: Int32
    /// The system's number for the reason why nothing more can be written.
    private let failure = Mutex<Int32?>(nil)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a text; after a failure nothing is written any more.
    func write(_ text: String) {
        failure.withLock { failure in
            guard failure == nil else { return }
            var text = text
            failure = text.withUTF8 { Self.write($0, to: descriptor) }
        }
    }

    /// Throws when something that was written is lost.
    ///
    /// A reader that went away (`stratus query … | head`) wanted no more.
    /// - Throws: a ``Failure`` with the system's reason.
    func check() throws(Failure) {
        guard let code = failure.withLock({ $0 }), code != EPIPE else { return }
        throw Failure(
            "The output cannot be written: \(String(cString: strerror(code))).",
            remedy: code == ENOSPC ? "Free some space on the disk, or write to another one." : nil)
    }

    /// The reason why not all could be written; nil when it was.
    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32? {
        var rest = UnsafeRawBufferPointer(bytes)[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, part.baseAddress, part.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another program that has the same terminal or pipe made it return at once.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                // Whatever it answers, writing is tried again, and says what is wrong.
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
