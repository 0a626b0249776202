import Foundation
import Testing

/// What can be at a path and is no regular file.
///
/// Making a device takes root: without it a pipe stands in, which must be treated alike. Never the real `/dev/null`.
enum OddPlace: String, CaseIterable, Sendable {
    case pipe, socket, characterDevice, blockDevice, folder, linkToPipe, linkToFolder

    /// Makes it at a path.
    ///
    /// - Returns: everything that has to be as it was afterwards.
    func make(_ path: String) throws -> Occupant {
        switch self {
        case .pipe: try check(mkfifo(path, 0o600), path)
        case .socket: try check(mknod(path, S_IFSOCK | 0o600, 0), path)
        // The numbers of the null device, and of a loop device that nothing is attached to.
        case .characterDevice: try device(path, S_IFCHR, major: 1, minor: 3)
        case .blockDevice: try device(path, S_IFBLK, major: 7, minor: 250)
        case .folder: try folder(path)
        case .linkToPipe:
            try check(mkfifo(path + ".target", 0o600), path)
            try check(symlink(path + ".target", path), path)
        case .linkToFolder:
            try folder(path + ".target")
            try check(symlink(path + ".target", path), path)
        }
        return Occupant(path)
    }

    private func folder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/letter"))
    }

    private func device(_ path: String, _ kind: mode_t, major: UInt, minor: UInt) throws {
        if mknod(path, kind | 0o600, dev_t(major << 8 | minor)) != 0 { try check(mkfifo(path, 0o600), path) }
    }

    private func check(_ code: Int32, _ path: String) throws {
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

/// What was at a path, and what is in it or behind it.
struct Occupant {
    private let path: String
    private let before: [String]

    init(_ path: String) {
        self.path = path
        before = Self.look(path)
    }

    /// Whether all of it is there, unchanged.
    var isThere: Bool { Self.look(path) == before }

    private static func look(_ path: String) -> [String] {
        let names = [path, path + ".target", path + "/letter", path + ".target/letter"]
        return names.map { name in
            var status = stat()
            guard lstat(name, &status) == 0 else { return "\(name): nothing" }
            return "\(name): \(status.st_ino) \(status.st_mode) \(status.st_rdev) \(status.st_nlink)"
        }
    }
}
