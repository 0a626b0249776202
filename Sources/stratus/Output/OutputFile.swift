// Owns `stat` in the eyes of the compiler where FoundationEssentials was loaded before, as jwt-kit does.
import CoreFoundation
import Foundation

/// A file that a command writes where its user wants it.
enum OutputFile {
    /// Writes the whole of a file.
    ///
    /// Readers of a regular file see the old content or the new one, never a part. Links are followed; a pipe or a
    /// device stays what it is and gets the bytes.
    /// - Throws: a ``Failure`` that names the file.
    static func write(_ data: Data, to path: String) throws(Failure) {
        do {
            switch place(path) {
            case .regular(let path): try data.write(to: URL(fileURLWithPath: path), options: .atomic)
            case .other: try open(path, appending: false).write(contentsOf: data)
            }
        } catch {
            let reason = (error as? Failure)?.remedy ?? Failure(error)?.sentence
            throw Failure("The file \(path) cannot be written.", remedy: reason)
        }
    }

    /// Opens a file for writing and makes it where there is none. What it is stays: pipes, devices and links too.
    ///
    /// - Throws: a ``Failure`` that names the file and the reason.
    static func open(_ path: String, appending: Bool) throws(Failure) -> FileHandle {
        let mode = O_WRONLY | O_CREAT | O_CLOEXEC | (appending ? O_APPEND : O_TRUNC)
        let descriptor = Foundation.open(path, mode, 0o666)
        guard descriptor >= 0 else {
            throw Failure(
                "The file \(path) cannot be written.", remedy: String(cString: strerror(errno)) + ".")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Whether a path has an ordinary file or nothing: what a command may replace. A link is neither.
    static func isOrdinaryOrMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Makes a file that only its owner may read, under a name that nothing has.
    ///
    /// - Throws: a ``Failure`` where there is anything of that name, or it cannot be made.
    static func makePrivate(_ path: String) throws(Failure) -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                "The file \(path) cannot be made.", remedy: String(cString: strerror(errno)) + ".")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private enum Place {
        /// A regular file, or none yet: the path without links.
        case regular(String)
        case other
    }

    private static func place(_ path: String) -> Place {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // A link that leads to nothing yet is followed by opening it.
            return lstat(path, &status) == 0 ? .other : .regular(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG, let real = realpath(path, nil) else { return .other }
        defer { free(real) }
        return .regular(String(cString: real))
    }
}
