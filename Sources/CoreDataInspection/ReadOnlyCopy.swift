internal import Foundation
internal import StratusCoreData

/// A store's file as it may be opened without changing anything beside it.
///
/// SQLite makes files beside a database with a log even for a reader, and plays an interrupted change back. Such
/// stores are copied to a folder of their own, which goes with this object; others are read where they are.
final class ReadOnlyCopy {
    /// What to open.
    let url: URL
    /// Why the store was copied; nil where it is read in place.
    let reason: String?
    private let folder: URL?

    /// - Throws: ``InspectionError`` where the file cannot be read or is no SQLite database.
    init(of named: URL) throws {
        let path = named.path
        let header: Data
        let original: URL
        do {
            // Reading a pipe would wait for a writer.
            original = try RegularFile.require(named)
            let handle = try FileHandle(forReadingFrom: original)
            defer { try? handle.close() }
            header = try handle.read(upToCount: 100) ?? Data()
        } catch {
            let exists = RegularFile.kind(path, followsLinks: true) != .nothing
            throw InspectionError(
                .unreadable(exists ? error.localizedDescription : "it does not exist."), path: path,
                cause: error)
        }
        guard header.starts(with: Array("SQLite format 3\0".utf8)), header.count == 100 else {
            throw InspectionError(.notSQLite, path: path)
        }
        let hasLog = Self.size(original.path + "-wal") > 0
        if hasLog {
            reason = "it has a write-ahead log with changes"
        } else if header[19] == 2 {
            reason = "it is in write-ahead-log mode, in which SQLite writes files beside it even to read"
        } else if Self.size(original.path + "-journal") > 0 {
            reason = "a change to it was interrupted"
        } else {
            reason = nil
        }
        guard reason != nil else {
            url = original
            folder = nil
            return
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-inspect-\(UUID().uuidString)")
        self.folder = folder
        url = folder.appendingPathComponent(original.lastPathComponent)
        do {
            try Self.copy(original, to: folder)
        } catch {
            // A temporary folder that stays takes space, and nothing else.
            try? FileManager.default.removeItem(at: folder)
            throw InspectionError(.unreadable(error.localizedDescription), path: path, cause: error)
        }
    }

    private static func copy(_ original: URL, to folder: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for suffix in ["", "-wal", "-journal"] where manager.fileExists(atPath: original.path + suffix) {
            let copy = folder.appendingPathComponent(original.lastPathComponent + suffix)
            try manager.copyItem(atPath: original.path + suffix, toPath: copy.path)
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
        }
        let support = ".\(original.deletingPathExtension().lastPathComponent)_SUPPORT"
        let values = original.deletingLastPathComponent().appendingPathComponent(support)
        if manager.fileExists(atPath: values.path) {
            try manager.createSymbolicLink(
                at: folder.appendingPathComponent(support),
                withDestinationURL: values.resolvingSymlinksInPath())
        }
    }

    /// The size of a file; 0 where there is none, or none that may be looked at, which copying then says.
    private static func size(_ path: String) -> Int {
        // Copying such a file fails, and says why.
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0
    }

    deinit {
        // What cannot be removed lies in the folder for temporary files.
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }
}
