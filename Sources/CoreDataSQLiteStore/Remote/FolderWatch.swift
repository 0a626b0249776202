internal import StratusCoreData

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hears when one of some files of a folder is written, made or taken away, by whatever process.
///
/// The folder is watched, not the files, since files may go and come back under their names. No file is opened:
/// closing a second descriptor of a SQLite file would end the locks that SQLite has on it.
final class FolderWatch: Sendable {
    // Unsafe as Dispatch says nothing: a source may be cancelled by any thread, and nothing else is done with it.
    nonisolated(unsafe) private let source: any DispatchSourceProtocol

    private init(_ source: any DispatchSourceProtocol) { self.source = source }

    deinit { source.cancel() }

    /// Stops; nothing is called afterwards except for what runs already.
    func cancel() { source.cancel() }

    /// Calls a handler each second, where the system does not report changes of files.
    static func polling(_ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> FolderWatch {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler(handler: handler)
        timer.resume()
        return FolderWatch(timer)
    }

    /// Calls a handler when the system reports a file; nil where it does not, or no more for this user.
    static func notified(
        _ folder: String, names: Set<String>, _ queue: DispatchQueue,
        _ handler: @escaping @Sendable () -> Void
    ) -> FolderWatch? {
        #if os(Linux)
        // The kernel defines these flags as those of `open`.
        let descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let mask = FileEvents.mask
        guard inotify_add_watch(descriptor, folder, mask) >= 0 else {
            // Nothing is written through it.
            _ = close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { if FileEvents.read(descriptor, concern: names) { handler() } }
        // Nothing is written through it.
        source.setCancelHandler { _ = close(descriptor) }
        source.resume()
        return FolderWatch(source)
        #else
        return nil
        #endif
    }
}

#if os(Linux)
/// What inotify writes.
enum FileEvents {
    static var mask: UInt32 {
        UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
            | UInt32(IN_MOVED_FROM)
    }

    /// A descriptor, a mask, a cookie and the length of the name, which follows: four words.
    private static let headerSize = 16

    /// Reads all events that wait, and says whether one is about one of the names.
    static func read(_ descriptor: Int32, concern names: Set<String>) -> Bool {
        var found = false
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = system(descriptor, buffer)
                guard count > 0 else { return }
                if concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count]), names) { found = true }
            }
        }
        return found
    }

    private static func system(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func concerns(_ bytes: UnsafeRawBufferPointer, _ names: Set<String>) -> Bool {
        var start = 0
        while start + headerSize <= bytes.count {
            let mask = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            let end = min(start + headerSize + length, bytes.count)
            // When the kernel's queue ran over, nobody knows what was lost.
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = bytes[(start + headerSize)..<end].prefix { $0 != 0 }
            if names.contains(String(decoding: name, as: UTF8.self)) { return true }
            start = end
        }
        return false
    }
}
#endif
