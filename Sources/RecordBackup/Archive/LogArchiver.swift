import AssetStorageFiles
import Foundation
public import ObjectStorage
public import RecordModel
public import RecordStorageSQLite
import Synchronization

/// Archives the log of a server's database, so that any moment can be restored to the second.
///
/// Every two seconds what was committed goes to the archive as one object, after the files that came meanwhile. A copy of
/// the database is made at the beginning and once a day. Where the archive cannot be reached, the log waits in a spool of bounded size;
/// when that is full, a new chain with a new base begins as soon as the archive is there again.
public final class LogArchiver: Sendable {
    /// How an archive is kept.
    public struct Plan: Sendable {
        /// For how long moments can be restored, in milliseconds.
        public var keeps: Int64
        /// How often a base is made, in milliseconds.
        public var baseEvery: Int64 = 86_400_000
        /// How often the log goes to the archive.
        public var interval = Duration.seconds(2)

        /// Plans to keep moments for so many milliseconds.
        public init(keeps: Int64) { self.keeps = keeps }
    }

    private struct State {
        var saved = ArchiveState()
        var hasBegun = false
        var isAttached = false
        /// Files that came since they were last sent.
        var placed: Set<AssetDigest>
        /// The same on the disk: a process that is killed sends them after its next start.
        let journal: PlacedJournal
        var activity: String?
        /// Since when the log, and since when a base, cannot be archived.
        var logFailure: (at: Int64, reason: String)?
        var baseFailure: (at: Int64, reason: String)?
        var failures: Int64 = 0
        var earliest: Int64?
        /// Up to when all that was committed is in the archive.
        var latest: Int64?
        var nextBase: Int64 = 0
        var nextContact: Int64 = 0
    }

    let source: BackupSource
    let objects: any ObjectStore
    let names: ArchiveNames
    let program: ProgramVersion
    let plan: Plan
    let clock: @Sendable () -> Int64
    private let store: SQLiteStore
    let spool: LogSpool
    private let report: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// More files than this wait for the next base, which compares all of them.
    private static let mostPlaced = 200_000
    /// How soon after a failure a base is tried again, in milliseconds.
    private static let retry: Int64 = 15_000

    var folder: String { source.directory + "/" + SQLiteStore.archiveFolderName }

    /// - Parameters:
    ///   - source: what is archived; its database is that of the store.
    ///   - clock: milliseconds since 1970.
    ///   - report: takes sentences for the operator's log.
    public init(
        of source: BackupSource, in store: SQLiteStore, to objects: any ObjectStore, plan: Plan,
        program: ProgramVersion, clock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.source = source
        self.store = store
        self.objects = objects
        self.plan = plan
        self.program = program
        self.clock = clock
        self.report = report
        names = ArchiveNames(store: source.store)
        let journal = PlacedJournal(folder: source.directory + "/" + SQLiteStore.archiveFolderName)
        state = Mutex(State(placed: journal.read(), journal: journal))
        spool = LogSpool(
            folder: source.directory + "/" + SQLiteStore.archiveFolderName,
            mostBytes: Limits.archiveSpoolBytes)
    }

    /// Notes a file that is on the disk, before any record has it.
    public func note(_ digest: AssetDigest) {
        state.withLock { state in
            guard state.placed.count < Self.mostPlaced else {
                state.nextBase = 0
                return
            }
            state.placed.insert(digest)
            state.journal.add(digest)
        }
    }

    /// Goes on where an earlier process ended. To be called before anybody may write: what was committed before it has the time at
    /// which the earlier process wrote last.
    public func begin() async {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        do { try await onOwnThread { [folder] in try Files.makeFolder(folder) } } catch {
            return failed(error, \.logFailure)
        }
        await resume()
    }

    /// Archives until the task is cancelled; then what waits is sent again.
    public func run() async {
        await begin()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.learnEarliest() }
            group.addTask { await self.makeBases() }
            group.addTask {
                while (try? await Task.sleep(for: self.plan.interval)) != nil { await self.ship() }
            }
        }
        // A cancelled task sends nothing.
        await Task { await self.ship() }.value
    }

    /// Remembers that the database was closed with all of its log in the spool, so that the next start goes on.
    public func noteClosed() {
        let status = spool.status
        guard state.withLock({ $0.isAttached }), status.failure == nil,
            let stamp = DatabaseStamp(directory: source.directory)
        else { return }
        var saved = state.withLock { $0.saved }
        saved.stamp = stamp.numbers
        saved.number = max(saved.number, spool.rotate())
        // Without it the next start makes a new base, which is as good and takes longer.
        try? saved.write(to: folder)
    }

    // MARK: The chain

    private func resume() async {
        var saved = ArchiveState(folder: folder)
        let wasClosed = saved.stamp != nil && saved.stamp == DatabaseStamp(opened: source.directory)?.numbers
        saved.stamp = nil
        var position = wasClosed ? nil : saved.position
        if let last = spool.files.last(where: { $0.hasPrefix(saved.chain + ".") }), !saved.chain.isEmpty {
            saved.number = max(saved.number, (Self.number(last) ?? 0) + 1)
            // A torn end is where the process was killed: what comes before it counts.
            try? SpoolFile.read(folder + "/" + last) { if !wasClosed { position = $0.position } }
        }
        // Before anything is written that it would be wrong for.
        do {
            try saved.write(to: folder)
        } catch {
            return report("What is archived could not be noted; a new chain with a new base begins: \(error)")
        }
        guard !saved.chain.isEmpty, wasClosed || position != nil else { return }
        let isResumed = await store.resumeSpool(
            spool, chain: saved.chain, number: saved.number, at: position)
        state.withLock { [saved] state in
            state.saved = saved
            state.isAttached = isResumed
            state.nextBase = saved.baseAt > 0 ? saved.baseAt + plan.baseEvery : 0
        }
        if !isResumed {
            report("The log went on without being archived; a new chain with a new base begins.")
        }
    }

    /// Makes bases where one is due, and begins a new chain where there is none or the old one broke.
    private func makeBases() async {
        repeat {
            let now = clock()
            let (isAttached, nextBase) = state.withLock { ($0.isAttached, $0.nextBase) }
            let isBroken = !isAttached || spool.status.failure != nil
            guard isBroken || now >= nextBase, now >= state.withLock({ $0.nextContact }) else { continue }
            do {
                if isBroken {
                    // What the old chain has is sent first: its moments count.
                    guard spool.files.isEmpty else { continue }
                    // Whether the archive is there, before a copy is made for it.
                    _ = try await objects.folders(in: names.root)
                    try await beginChain()
                }
                try await makeBase()
                state.withLock { $0.nextBase = clock() + plan.baseEvery }
            } catch is CancellationError {
                return
            } catch {
                failed(error, \.baseFailure)
                state.withLock { $0.nextContact = clock() + Self.retry }
            }
            note(activity: nil)
        } while (try? await Task.sleep(for: .milliseconds(500))) != nil
    }

    /// The first moment of an archive that is older than this process, once it can be asked.
    private func learnEarliest() async {
        while state.withLock({ $0.earliest }) == nil {
            // An archive that cannot be asked is asked again after a pause.
            if let bases = try? await ArchiveReader.bases(objects, names) {
                // Where there is none yet, the first base tells.
                if let first = bases.first { note(earliest: first.time) }
                return
            }
            guard (try? await Task.sleep(for: .milliseconds(Self.retry))) != nil else { return }
        }
    }

    private func beginChain() async throws {
        let chain = ArchiveNames.chain(at: clock())
        await store.beginSpool(spool, chain: chain)
        var saved = ArchiveState()
        saved.chain = chain
        try saved.write(to: folder)
        state.withLock { [saved] state in
            state.saved = saved
            state.isAttached = true
            state.nextBase = 0
        }
    }

    private func makeBase() async throws {
        note(activity: "A copy of the database is being archived")
        let chain = spool.status.chain
        try await removeUnfinished(names.bases(chain))
        let start = spool.rotate()
        let work = try await onOwnThread { [source] in
            try WorkFolder(in: source.directory, name: SQLiteStore.archiveFolderName + "-work")
        }
        defer { work.remove() }
        let upload = BackupUpload(
            of: source, to: objects, by: program, verifies: true, progress: { _, _, _ in })
        let prepared = try await upload.prepare(in: work.path, files: names.files, now: clock)
        // Its name has the time at which the copy was done.
        let time = prepared.manifest.createdAt
        let folder = "\(names.bases(chain))\(ArchiveNames.digits(start))-\(time)/"
        _ = try await upload.send(prepared, from: work.path, to: folder)
        let saved = state.withLock { state in
            state.saved.baseAt = time
            state.earliest = state.earliest ?? time
            state.baseFailure = nil
            return state.saved
        }
        try saved.write(to: self.folder)
        try await retain()
        report("A base of the archive was made.")
    }

    /// Removes what an interrupted base left.
    private func removeUnfinished(_ root: String) async throws {
        for name in try await objects.folders(in: root) {
            let folder = "\(root)\(name)/"
            guard try await objects.head(folder + BackupManifest.fileName) == nil else { continue }
            try await objects.forEach(folder) { try await objects.delete($0.name) }
        }
        try await objects.removeUnfinished(root)
    }

    // MARK: The log

    private func ship() async {
        await store.copyLog()
        // All that was committed before is in the files that are whole now.
        let start = clock()
        spool.rotate()
        // The spool ends files by their size as well: what it ends from now on may need files that came from now on.
        let parts = spool.files
        do {
            try await sendPlaced()
            for name in parts { try await ship(name) }
            if let failure = spool.status.failure { throw BackupError.archive(failure) }
            state.withLock { state in
                // A new chain is good for nothing before it has a base.
                guard state.isAttached, state.saved.baseAt > 0 else { return }
                state.latest = start
                state.logFailure = nil
            }
        } catch is CancellationError {
            return
        } catch { failed(error, \.logFailure) }
    }

    private func ship(_ name: String) async throws {
        let path = folder + "/" + name
        let parts = name.split(separator: ".")
        guard parts.count == 3, let number = Self.number(name) else { return }
        let chain = String(parts[0])
        let (segment, position) = try await onOwnThread { () -> (LogSegment, LogPosition?) in
            var position: LogPosition?
            let segment = try LogSegment(spooled: path)
            try SpoolFile.read(path) { position = $0.position }
            return (segment, position)
        }
        // An empty one too: that none is missing shows by their numbers.
        try await objects.put(try segment.bytes(), as: names.segment(chain, number, segment))
        let saved = state.withLock { state -> ArchiveState? in
            guard state.saved.chain == chain else { return nil }
            state.saved.number = number + 1
            state.saved.position = position ?? state.saved.position
            return state.saved
        }
        try saved?.write(to: folder)
        spool.remove(name)
    }

    /// Sends the files that came, before the records that have them.
    private func sendPlaced() async throws {
        let placed = state.withLock { state in
            defer { state.placed = [] }
            return state.placed
        }
        do {
            for digest in placed {
                let path = AssetPaths(root: source.directory + "/" + AssetPaths.folderName).path(of: digest)
                guard Files.size(path) != nil else { continue }
                try await objects.put(file: path, as: names.files + digest.hex)
            }
            guard !placed.isEmpty else { return }
            state.withLock { $0.journal.write($0.placed) }
        } catch {
            state.withLock { $0.placed.formUnion(placed) }
            throw error
        }
    }

    private static func number(_ name: String) -> Int? {
        let parts = name.split(separator: ".")
        return parts.count == 3 ? Int(parts[1]) : nil
    }

    // MARK: What is told

    private func note(activity: String?) { state.withLock { $0.activity = activity } }

    private func failed(
        _ error: any Error, _ slot: WritableKeyPath<State, (at: Int64, reason: String)?>
    ) {
        let reason = "\(error)"
        let isNew = state.withLock { state in
            let since = state[keyPath: slot]?.at
            state[keyPath: slot] = (since ?? clock(), reason)
            state.failures += 1
            return since == nil
        }
        if isNew { report("The log could not be archived; it is tried again: \(reason)") }
    }

    func note(earliest: Int64?) { state.withLock { $0.earliest = earliest } }

    /// What there is at this moment.
    public var status: ArchiveStatus {
        let waiting = spool.status
        return state.withLock { state in
            ArchiveStatus(
                location: objects.location, keeps: plan.keeps, earliest: state.earliest,
                latest: state.earliest == nil ? nil : state.latest,
                waitingBytes: waiting.bytes, activity: state.activity,
                failure: state.logFailure ?? state.baseFailure,
                failures: state.failures)
        }
    }
}

/// How an archive is. Times are milliseconds since 1970.
public struct ArchiveStatus: Sendable {
    /// Where it is.
    public var location: String
    /// For how long moments are kept.
    public var keeps: Int64
    /// The first moment that can be restored; nil before there is a base.
    public var earliest: Int64?
    /// The last one.
    public var latest: Int64?
    /// The bytes that wait to be sent.
    public var waitingBytes: Int
    /// What is being done beside the log.
    public var activity: String?
    /// Since when it fails, and why.
    public var failure: (at: Int64, reason: String)?
    /// How often it failed since the start.
    public var failures: Int64
}
