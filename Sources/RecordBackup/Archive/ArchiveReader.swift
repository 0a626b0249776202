import AssetStorageFiles
import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Makes a data directory of any moment of an archive.
public struct ArchiveReader: Sendable {
    private let objects: any ObjectStore
    private let names: ArchiveNames
    private let program: ProgramVersion
    private let progress: BackupProgress

    private static let lanes = 4

    /// What was restored.
    public struct Outcome: Sendable {
        /// The last moment, in milliseconds since 1970, from which something was restored.
        public var lastChange: Int64
        /// How many parts of the log were applied.
        public var segments: Int
        /// How many files came along.
        public var files: Int
        /// The digests of files that records have and the archive lacks.
        public var missing: [String]
    }

    /// Opens the archive that an address names: a place with the archive of one server, or `PLACE/STORE`.
    ///
    /// - Throws: ``BackupError`` where there is none or there are several; `ObjectStorageError`.
    public init(
        _ location: String, environment: [String: String], program: ProgramVersion,
        progress: @escaping BackupProgress
    ) async throws {
        let halves = location.split(separator: "?", maxSplits: 1)
        var parts = (halves.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        while parts.count > 1, parts.last == "" { parts.removeLast() }
        var store: String?
        if parts.count > 1, let last = parts.last, AssetFileName.isStore(String(last)) {
            store = String(last)
            parts.removeLast()
        }
        let place = parts.joined(separator: "/") + (halves.count > 1 ? "?\(halves[1])" : "")
        objects = try ObjectStores.open(place, environment: environment)
        if store == nil {
            var stores: [String] = []
            for name in try await objects.folders(in: "") where AssetFileName.isStore(name) {
                if try await objects.folders(in: name + "/").contains("archive") { stores.append(name) }
            }
            guard stores.count < 2 else { throw BackupError.severalArchives(objects.location, stores) }
            store = stores.first
        }
        guard let store else { throw BackupError.noArchive(objects.location) }
        names = ArchiveNames(store: store)
        self.program = program
        self.progress = progress
    }

    /// The bases of an archive that are whole, the oldest first.
    static func bases(_ objects: any ObjectStore, _ names: ArchiveNames) async throws -> [ArchiveBase] {
        var found: [ArchiveBase] = []
        for chain in try await objects.folders(in: names.root) where ArchiveNames.isChain(chain) {
            for name in try await objects.folders(in: names.bases(chain)) {
                let numbers = ArchiveNames.numbers(name)
                let folder = "\(names.bases(chain))\(name)/"
                guard numbers.count == 2, try await objects.head(folder + BackupManifest.fileName) != nil
                else {
                    continue
                }
                found.append(ArchiveBase(chain: chain, folder: folder, start: numbers[0], time: numbers[1]))
            }
        }
        return found.sorted { $0.time < $1.time }
    }

    /// Restores a moment into a new directory. When it throws, the directory holds nothing of it.
    ///
    /// - Parameter second: a whole second since 1970: all that was acknowledged up to it is there, and nothing later. Nil for
    ///   all that is in the archive, whatever the clock said when it was written.
    /// - Throws: ``BackupError``, also where that moment is not in the archive; `ObjectStorageError`.
    public func restore(second: Int64?, to directory: String) async throws -> Outcome {
        let target = RestoreDirectory(directory)
        try target.refuseUsed()
        let bases = try await Self.bases(objects, names)
        guard let second else {
            // A base of a clock that was ahead has a later time than those after it, but not a later place in the log.
            guard let chain = bases.last?.chain,
                let newest = bases.filter({ $0.chain == chain }).max(by: { $0.start < $1.start })
            else { throw BackupError.noArchive(objects.location) }
            return try await target.fill { try await bring(newest, .max, [], to: $0) }
        }
        guard let base = bases.last(where: { $0.time <= second * 1_000 }) else {
            guard let first = bases.first else { throw BackupError.noArchive(objects.location) }
            throw BackupError.tooEarly(first.time)
        }
        let later = bases.filter { $0.time > base.time }
        return try await target.fill { try await bring(base, second, later, to: $0) }
    }

    private func bring(
        _ base: ArchiveBase, _ second: Int64, _ later: [ArchiveBase], to folder: String
    ) async throws -> Outcome {
        let manifest = try BackupManifest(
            json: try await objects.get(base.folder + BackupManifest.fileName, maximumBytes: 16 << 20),
            of: base.folder)
        try manifest.checkReadable(by: program)
        for part in manifest.parts where !part.path.contains("/") {
            progress(.database, 0, 0)
            try await objects.get(base.folder + part.path, toFile: folder + "/" + part.path)
            let content = try await onOwnThread { try Files.read(folder + "/" + part.path) }
            guard content == Files.Content(size: part.size, sha256: part.sha256) else {
                throw BackupError.damaged(
                    base.folder, ["\(part.path) does not have the bytes that were written."])
            }
        }
        var outcome = Outcome(lastChange: base.time, segments: 0, files: 0, missing: [])
        try await replay(base, second, later, folder + "/" + SQLiteStore.fileName, &outcome)
        progress(.checking, 0, 1)
        let findings = try await onOwnThread {
            try StoreInspection.run(directory: folder, depth: .init(checksIndexes: true))
        }
        let problems = findings.filter { $0.severity == .problem }.map(\.message)
        guard problems.isEmpty else { throw BackupError.damaged(objects.location, problems) }
        try await bringFiles(folder, &outcome)
        return outcome
    }

    /// Applies the log up to the moment.
    private func replay(
        _ base: ArchiveBase, _ second: Int64, _ later: [ArchiveBase], _ path: String,
        _ outcome: inout Outcome
    ) async throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw BackupError.file("opened", path) }
        defer { close(file) }
        var expected = base.start
        var token: String?
        var isDone = false
        repeat {
            let page = try await objects.list(names.log(base.chain), from: token)
            for object in page.objects where !isDone {
                let numbers = ArchiveNames.numbers(object.name)
                guard numbers.count == 3, numbers[0] >= base.start else { continue }
                guard numbers[0] == expected else { throw BackupError.gap(object.name) }
                expected += 1
                if numbers[1] > second {
                    isDone = true
                    break
                }
                let segment = try LogSegment(
                    try await objects.get(object.name, maximumBytes: LogSegment.mostBytes), name: object.name)
                // A whole one in the place of another.
                guard segment.groups.first?.second ?? 0 == numbers[1],
                    segment.groups.last?.second ?? 0 == numbers[2]
                else { throw BackupError.damaged(object.name, ["Its content belongs to another name."]) }
                outcome.segments += 1
                progress(.replaying, outcome.segments, 0)
                for group in segment.groups {
                    if group.second > second {
                        isDone = true
                        break
                    }
                    try LogSegment.apply(group, pageSize: segment.pageSize, to: file, path: path)
                    outcome.lastChange = max(outcome.lastChange, group.second * 1_000)
                }
            }
            token = page.next
        } while token != nil && !isDone
        if !isDone {
            // The log goes on at least to where a later base begins.
            if let end = later.first(where: { $0.chain == base.chain && $0.start > expected }) {
                throw BackupError.gap(end.folder)
            }
            // The chain ended before the moment, and another one began after it: nobody knows what was between.
            if let next = later.first(where: { $0.chain != base.chain }), outcome.lastChange / 1_000 < second
            {
                throw BackupError.unarchived(from: outcome.lastChange, to: next.time)
            }
        }
        guard fsync(file) == 0 else { throw BackupError.file("brought to the disk", path) }
    }

    private func bringFiles(_ folder: String, _ outcome: inout Outcome) async throws {
        let ledger = try await onOwnThread { try LedgerPages(folder, limit: 200) }
        var folders = try NewAssetFolders(AssetPaths(root: folder + "/" + AssetPaths.folderName))
        while case let rows = try await onOwnThread({ try ledger.next() }), !rows.isEmpty {
            let missing = try await withThrowingTaskGroup(of: String?.self) { group in
                var missing: [String] = []
                for (index, row) in rows.enumerated() {
                    if index >= Self.lanes, let lost = try await group.next() ?? nil { missing.append(lost) }
                    let path = try folders.path(of: row.content.digest)
                    group.addTask { try await bring(row, to: path) ? nil : row.content.digest.hex }
                }
                for try await lost in group { if let lost { missing.append(lost) } }
                return missing
            }
            let used = Set(rows.filter { $0.uses > 0 }.map(\.content.digest.hex))
            outcome.missing += missing.filter(used.contains)
            outcome.files += rows.count - missing.count
            progress(.files, outcome.files, ledger.total)
        }
        try folders.sync()
    }

    private func bring(_ row: AssetRow, to path: String) async throws -> Bool {
        let digest = row.content.digest.hex
        do { try await objects.get(names.files + digest, toFile: path) } catch let error as ObjectStorageError
            where error.isMissing
        { return false }
        let content = try await onOwnThread {
            try Files.sync(path)
            return try Files.read(path)
        }
        guard content == Files.Content(size: row.content.size, sha256: digest) else {
            throw BackupError.damaged(objects.location, ["The file \(digest) is damaged."])
        }
        return true
    }
}
