#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The only calls of Core Data's modules that remove, replace or rename what is at a path.
///
/// **Nothing but a regular file is ever removed, replaced or renamed**, and no folder that is not empty: a device, a
/// named pipe, a socket, a symbolic link and a folder with something in it stay where they are, whoever asks, root
/// included. Each call looks at what is there directly before it acts, and throws where it is something else. Who
/// calls, and what they check besides, is a table in Documentation/CoreDataStore.md, 'What is removed'.
///
/// ```swift
/// try RegularFile.require(url)          // a store can be at a regular file, or where nothing is yet
/// try RegularFile.remove(url.path)      // 134080 where it is a device, say
/// ```
package enum RegularFile {
    /// What is at a path.
    package enum Kind: String, Sendable {
        case nothing
        case regular = "a regular file"
        case folder = "a folder"
        case link = "a symbolic link"
        case pipe = "a named pipe"
        case socket = "a socket"
        case device = "a device"
        /// It cannot be looked at, or is of a kind that no system documents.
        case unknown = "something that cannot be looked at"
    }

    /// What is at a path.
    ///
    /// - Parameter followsLinks: whether a link counts as what it leads to; a link that leads nowhere is `.nothing` then.
    package static func kind(_ path: String, followsLinks: Bool = false) -> Kind {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .nothing : .unknown
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        case S_IFIFO: return .pipe
        case S_IFSOCK: return .socket
        case S_IFBLK, S_IFCHR: return .device
        default: return .unknown
        }
    }

    /// Checks that a store can be at an address: links are followed, and at their end is a regular file, or nothing yet.
    /// The same goes for the logs that SQLite keeps beside it, which SQLite removes by name.
    ///
    /// - Returns: where the file is, with links resolved.
    /// - Throws: `CocoaError` 134080.
    @discardableResult
    package static func require(_ url: URL) throws -> URL {
        let place = url.resolvingSymlinksInPath()
        // What cannot be looked at cannot be opened either, and SQLite says why.
        let accepted: [Kind] = [.nothing, .regular, .unknown]
        let kind = kind(place.path, followsLinks: true)
        guard accepted.contains(kind) else { throw refusal(place.path, kind) }
        for suffix in logSuffixes {
            let log = place.path + suffix
            let kind = Self.kind(log)
            guard accepted.contains(kind) else { throw refusal(log, kind) }
        }
        return place
    }

    /// The endings of the files that SQLite keeps beside a database.
    package static let logSuffixes = ["-journal", "-wal", "-shm"]

    /// Removes a regular file. Where nothing is, nothing happens.
    ///
    /// - Throws: `CocoaError` 134080 where it is something else, which stays; `POSIXError` where the system refuses.
    package static func remove(_ path: String) throws {
        switch kind(path) {
        case .nothing: return
        case .regular: guard unlink(path) == 0 || errno == ENOENT else { throw failure(path) }
        case let other: throw refusal(path, other)
        }
    }

    /// Removes a folder that is empty; any other stays.
    package static func removeFolderIfEmpty(_ path: String) {
        guard kind(path) == .folder else { return }
        // One with something in it stays, as it should.
        _ = rmdir(path)
    }

    /// Gives a regular file another name, in place of the regular file that has it, if there is one.
    ///
    /// - Throws: `CocoaError` 134080 where one of them is something else; `POSIXError` where the system refuses.
    package static func rename(_ path: String, to other: String, replacing: Bool = false) throws {
        let (source, target) = (kind(path), kind(other))
        guard source == .regular else { throw refusal(path, source) }
        guard target == .nothing || (replacing && target == .regular) else { throw refusal(other, target) }
        guard systemRename(path, other) == 0 else { throw failure(other) }
    }

    /// Whether a regular file is a database of SQLite's, or the beginning of one: empty, or not yet with its first page.
    /// Files that this package makes for a while beside a store are; a file of the user's that has the same name is not,
    /// and stays.
    package static func isDatabase(_ path: String) -> Bool {
        guard kind(path) == .regular, let handle = FileHandle(forReadingAtPath: path) else { return false }
        // What cannot be read is taken for somebody else's.
        defer { try? handle.close() }
        guard let head = try? handle.read(upToCount: 16) ?? Data() else { return false }
        return head.isEmpty || head == Data("SQLite format 3\0".utf8) || head.allSatisfy { $0 == 0 }
    }

    private static func refusal(_ path: String, _ kind: Kind) -> CocoaError {
        let what = kind == .nothing ? "not there" : kind.rawValue
        return CoreDataError(
            134080, "\(path) is \(what), and a store is a regular file. It was left as it is.",
            remedy: "Give the address of a regular file, or of one that is to be made."
        ).cocoa
    }

    private static func failure(_ path: String) -> any Error {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }
}

extension URL {
    /// Whether it is `/dev/null`, in any spelling: a SQLite store there is one in memory, and no file.
    package var isNullDevice: Bool {
        path == "/dev/null" || standardizedFileURL.path == "/dev/null"
            || resolvingSymlinksInPath().path == "/dev/null"
    }
}

/// The system's `rename`, under a name that the type's own does not hide.
private func systemRename(_ path: String, _ other: String) -> Int32 {
    // The caller looks at the answer.
    rename(path, other)
}
