// Owns `stat` in the eyes of the compiler where FoundationEssentials was loaded before, as jwt-kit does.
import CoreFoundation
import Foundation

/// What a file holds, whatever kind of file it is: pipes and devices are read to their end.
enum FileContents {
    /// The name that stands for standard input.
    static let standardInput = "-"

    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: a ``Failure`` when there is none, or it cannot be read.
    static func read(_ path: String) throws(Failure) -> Data {
        let handle = try open(path)
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw Failure.usage("The file \(path) cannot be read.", remedy: Failure(error)?.sentence)
        }
    }

    /// Opens a file for reading; `-` is standard input. It is closed with the handle.
    ///
    /// - Throws: a ``Failure`` when there is none, it may not be read, or it is a folder.
    static func open(_ path: String) throws(Failure) -> FileHandle {
        if path == standardInput { return .standardInput }
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { throw Failure.usage("There is no file \(path).") }
            throw Failure.usage(
                "The file \(path) cannot be read.", remedy: String(cString: strerror(errno)) + ".")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard kind(of: descriptor) != S_IFDIR else {
            throw Failure.usage("\(path) is a folder, not a file.", remedy: "Name one of its files.")
        }
        return handle
    }

    /// Whether a file that was opened is a pipe, a device or an open file of the process: what it holds can be read
    /// once, and there is no place beside it.
    static func isStream(_ handle: FileHandle, at path: String) -> Bool {
        path == standardInput || path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
            || kind(of: handle.fileDescriptor) != S_IFREG
    }

    private static func kind(of descriptor: Int32) -> mode_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
