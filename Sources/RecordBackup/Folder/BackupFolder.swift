import AssetStorageFiles
import Foundation

/// A folder of backups: one folder for each, named by its time, and what is not finished under names of its own.
public struct BackupFolder: Sendable {
    /// The folder.
    public let path: String

    private static let prefix = "stratus-"
    private static let partialPrefix = ".partial-"
    private static let lockName = ".stratus-lock"

    /// Names a folder; it need not exist.
    public init(path: String) { self.path = path }

    /// The backups in it that are whole, the newest first; those whose manifest cannot be read are left out.
    ///
    /// - Throws: ``BackupError`` where the folder cannot be listed.
    public func backups() throws -> [Backup] {
        try Files.names(in: path).filter { $0.hasPrefix(Self.prefix) }
            .compactMap { try? Backup(path: path + "/" + $0) }
            .sorted { ($0.manifest.createdAt, $0.path) > ($1.manifest.createdAt, $1.path) }
    }

    /// The same, for callers that must not wait for the disk on their thread.
    ///
    /// - Throws: ``BackupError`` where the folder cannot be listed; `CancellationError`.
    public func list() async throws -> [Backup] { try await onOwnThread { try backups() } }

    /// The backup that a path names: one itself, or the newest in a folder of them.
    ///
    /// - Throws: ``BackupError`` where there is none, or its manifest cannot be read.
    public static func backup(at path: String) throws -> Backup {
        if FileManager.default.fileExists(atPath: path + "/" + BackupManifest.fileName) {
            return try Backup(path: path)
        }
        let folder = BackupFolder(path: path)
        if let newest = try folder.backups().first { return newest }
        // One that exists but cannot be read says why.
        if let name = try Files.names(in: path).last(where: { $0.hasPrefix(prefix) }) {
            return try Backup(path: path + "/" + name)
        }
        throw BackupError.none(path)
    }

    /// Makes the folder, and takes the right to write into it.
    func lock() throws -> FolderLock {
        try Files.makeFolder(path)
        return try FolderLock(path + "/" + Self.lockName, busy: path)
    }

    /// Removes what interrupted backups left. The caller holds the lock, so nobody works on them.
    func removePartial() throws {
        for name in try Files.names(in: path)
        where name.hasPrefix(Self.partialPrefix)
            && UUID(uuidString: String(name.dropFirst(Self.partialPrefix.count))) != nil
        {
            try Files.remove(path + "/" + name)
        }
    }

    /// Makes the folder of a backup on its way.
    func makePartial() throws -> String {
        let partial = path + "/" + Self.partialPrefix + UUID().uuidString.lowercased()
        guard mkdir(partial, 0o700) == 0 else { throw BackupError.file("made", partial) }
        return partial
    }

    /// Gives a backup its name, with which it exists.
    func place(_ partial: String, at milliseconds: Int64) throws -> String {
        let name = Self.name(at: milliseconds, taken: Set(try Files.names(in: path)))
        try Files.move(partial, to: path + "/" + name)
        try Files.sync(path)
        return path + "/" + name
    }

    /// The name of a backup by its time, which others do not have.
    static func name(at milliseconds: Int64, taken: Set<String>) -> String {
        let iso: String = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        let time = iso.filter { !"-:".contains($0) }
        var name = prefix + time
        var number = 2
        while taken.contains(name) {
            name = "\(prefix)\(time)-\(number)"
            number += 1
        }
        return name
    }

    /// Removes all but the newest backups of a store; those of others are not touched, and neither are those in which
    /// somebody has put something.
    ///
    /// - Returns: the names of those that went.
    func remove(olderThanNewest count: Int, of store: String) throws -> [String] {
        let old = try backups().filter { $0.manifest.store == store }.dropFirst(count)
            .filter { $0.isOursAlone() }
        for backup in old {
            // Under another name first: one that is half removed must not be taken for a backup.
            let partial = path + "/" + Self.partialPrefix + UUID().uuidString.lowercased()
            try Files.move(backup.path, to: partial)
            try Files.remove(partial)
        }
        return old.map(\.name)
    }
}

/// A backup that is whole: a folder laid out as a data directory is, with a manifest.
public struct Backup: Sendable {
    /// Its folder.
    public let path: String
    /// What it says of itself.
    public let manifest: BackupManifest

    /// Whether its folder has what the manifest names and nothing else, so that it may be removed.
    func isOursAlone() -> Bool {
        let known = Set(manifest.parts.map(\.path) + [BackupManifest.fileName])
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            // What is found, or cannot be looked through, is not ours to remove.
            (try? Files.refuseForeign(path)) != nil
        else { return false }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.allSatisfy { name in
            known.contains(name) || known.contains { $0.hasPrefix(name + "/") }
                || name == AssetPaths.folderName || name.hasPrefix(AssetPaths.folderName + "/")
        }
    }

    /// The name of its folder.
    public var name: String { String(path.split(separator: "/").last ?? "") }

    /// Reads the manifest of a folder.
    ///
    /// - Throws: ``BackupError`` where there is none, or it cannot be read.
    public init(path: String) throws {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        manifest = try BackupManifest(readingFrom: path)
    }

    init(path: String, manifest: BackupManifest) {
        self.path = path
        self.manifest = manifest
    }
}
