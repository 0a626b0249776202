public import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// All that is a person's, in the form of Documentation/Moving.md ('An account as files'), as one ZIP archive.
///
/// It is read page by page while it is sent, so it takes as much memory for a large account as for a small one, but for some
/// 250 bytes for each file of a record. Pages are as of the moment at which each is read.
public final class AccountArchive: Sendable {
    private let account: AccountRow
    private let store: any RecordStore
    private let assets: any AssetStore
    private let now: Int64
    private let whenDone: @Sendable () -> Void

    private static let pageRecords = 500
    private static let chunkBytes = 262_144
    private static let format = "stratus-account"
    private static let version: Int64 = 1

    init(
        _ account: AccountRow, store: any RecordStore, assets: any AssetStore, now: Int64,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.account = account
        self.store = store
        self.assets = assets
        self.now = now
        self.whenDone = whenDone
    }

    deinit { whenDone() }

    /// What is written so far.
    private struct Progress {
        var zip: ZipWriter
        var files: [ContainerManifest.File] = []
        var digests: Set<AssetDigest> = []
        var assetFiles = 0
        var assetBytes: Int64 = 0
        var missing: [String] = []
        var lines = 0
        var pending: [UInt8] = []
    }

    /// Writes the archive.
    ///
    /// - Parameter send: takes its bytes, in their order.
    /// - Throws: what `send` throws; ``TransferError``; `StorageError`; `CancellationError`.
    public func write(to send: (ByteBuffer) async throws -> Void) async throws {
        var progress = Progress(zip: ZipWriter(now: now))
        let users = try await store.read(.short) { [account] in try $0.users(ofAccount: account.id) }
        try await file("account.json", &progress, send) { progress in
            try await add(line: try await facts(users), to: &progress, send)
        }
        for user in users { try await write(user, &progress, send) }
        for digest in progress.digests.sorted(by: { $0.hex < $1.hex }) {
            try Task.checkCancellation()
            try await write(digest, &progress, send)
        }
        let manifest = manifest(progress)
        try await file(ContainerManifest.fileName, &progress, send) { progress in
            try await add(line: manifest, to: &progress, send)
        }
        try await send(ByteBuffer(bytes: progress.zip.finish()))
    }

    private func write(
        _ user: UserRow, _ progress: inout Progress, _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        let tenant = user.tenant
        let folder = "\(tenant.container.rawValue)/"
        func path(_ name: String) -> String { folder + ContainerPaths.path(name, tenant.environment) }
        try await file(path(ContainerPaths.users), &progress, send) { progress in
            try await add(line: user.line, to: &progress, send)
        }
        let own = RecordOutlet(
            store: store, database: DatabaseID(tenant: tenant, owner: user.recordName))
        let zones = try await own.zones()
        try await file(path(ContainerPaths.zones), &progress, send) { progress in
            for zone in zones where zone != ZoneID.defaultName {
                try await add(
                    line: ContainerExport.place(user.recordName, zone, nil), to: &progress, send)
            }
        }
        let everybody = RecordOutlet(store: store, database: DatabaseID(tenant: tenant, owner: nil))
        let types = try await store.read(.short) { try $0.schema(of: tenant).types.keys.sorted() }
        try await file(path(ContainerPaths.records), &progress, send) { progress in
            for type in types {
                try await write(type, ZoneID.defaultName, of: everybody, user, &progress, send)
            }
            for zone in zones.sorted() {
                for type in types { try await write(type, zone, of: own, user, &progress, send) }
            }
        }
    }

    /// Writes the records of a type in a zone: all of the user's own database, the user's of the public one.
    private func write(
        _ type: String, _ zone: String, of outlet: RecordOutlet, _ user: UserRow, _ progress: inout Progress,
        _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        let owner = outlet.database.owner
        var position: ScanCursor?
        repeat {
            try Task.checkCancellation()
            let page = try await outlet.page(
                ofType: type, in: zone, after: position, limit: Self.pageRecords,
                madeBy: owner == nil ? user.recordName : nil)
            position = page.next
            for record in page.records {
                for content in record.contents { progress.digests.insert(content.digest) }
                try await add(line: ContainerExport.place(owner, zone, record), to: &progress, send)
            }
        } while position != nil
    }

    // MARK: Files

    private func file(
        _ path: String, _ progress: inout Progress, _ send: (ByteBuffer) async throws -> Void,
        _ content: (inout Progress) async throws -> Void
    ) async throws {
        progress.lines = 0
        try await send(
            ByteBuffer(bytes: progress.zip.begin(path, isLarge: true, compresses: true)))
        try await content(&progress)
        try await flush(&progress, send)
        let (bytes, written) = try progress.zip.end()
        try await send(ByteBuffer(bytes: bytes))
        progress.files.append(
            .init(path: path, bytes: written.bytes, lines: progress.lines, sha256: written.sha256.hex))
    }

    private func add(
        line: [UInt8], to progress: inout Progress, _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        progress.pending += line
        progress.pending.append(UInt8(ascii: "\n"))
        progress.lines += 1
        if progress.pending.count >= Self.chunkBytes { try await flush(&progress, send) }
    }

    private func flush(
        _ progress: inout Progress, _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        let packed = try progress.zip.write(progress.pending)
        progress.pending.removeAll(keepingCapacity: true)
        if !packed.isEmpty { try await send(ByteBuffer(bytes: packed)) }
    }

    /// Writes the file of a record; one that is not there, or is damaged, is named in the manifest.
    private func write(
        _ digest: AssetDigest, _ progress: inout Progress, _ send: (ByteBuffer) async throws -> Void
    ) async throws {
        guard let reader = try await assets.open(digest) else { return progress.missing.append(digest.hex) }
        try await send(
            ByteBuffer(
                bytes: progress.zip.begin(
                    ContainerPaths.asset(digest), isLarge: false, compresses: false)))
        var offset: Int64 = 0
        while offset < reader.size {
            let bytes = try await reader.read(at: offset, count: Self.chunkBytes)
            guard bytes.readableBytes > 0 else { break }
            offset += Int64(bytes.readableBytes)
            try await send(ByteBuffer(bytes: try progress.zip.write(Array(buffer: bytes))))
        }
        let (bytes, written) = try progress.zip.end()
        try await send(ByteBuffer(bytes: bytes))
        progress.assetFiles += 1
        progress.assetBytes += written.bytes
        if written.sha256 != digest.bytes { progress.missing.append(digest.hex) }
    }

    // MARK: Facts

    /// What is known of the account itself. Nothing in it lets anybody in.
    private func facts(_ users: [UserRow]) async throws -> [UInt8] {
        let (credentials, sessions) = try await store.read(.short) { [account] reader in
            (try reader.credentials(of: account.id), try reader.sessions(of: account.id))
        }
        return JSONWriter.text { writer in
            writer.beginObject()
            writer.member("address", account.address)
            writer.member("createdAt", account.createdAt)
            writer.member(
                "passwordChangedAt", credentials.first { $0.kind == .password }?.createdAt)
            writer.member("secondStepSince", credentials.first { $0.kind == .oneTimeCode }?.createdAt)
            writer.member("recoveryCodes", Int64(credentials.count { $0.kind == .recoveryCode }))
            writer.key("providers")
            writer.beginArray()
            for credential in credentials where credential.kind == .provider {
                writer.beginObject()
                writer.member("identity", credential.name)
                writer.member("createdAt", credential.createdAt)
                writer.endObject()
            }
            writer.endArray()
            writer.key("users")
            writer.beginArray()
            for user in users {
                writer.beginObject()
                Self.write(user.tenant, to: &writer)
                writer.member("recordName", user.recordName)
                if let isAllowed = user.discovery.isAllowed {
                    writer.member("isDiscoverable", isAllowed)
                    writer.member("givenName", user.discovery.givenName)
                    writer.member("familyName", user.discovery.familyName)
                }
                writer.endObject()
            }
            writer.endArray()
            writer.key("sessions")
            writer.beginArray()
            for session in sessions {
                writer.beginObject()
                Self.write(session.tenant, to: &writer)
                writer.member("label", session.label)
                writer.member("createdAt", session.createdAt)
                writer.member("seenAt", session.seenAt)
                writer.member("endsAt", session.endsAt)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    private static func write(_ tenant: Tenant, to writer: inout JSONWriter) {
        writer.member("container", tenant.container.rawValue)
        writer.member("environment", tenant.environment.rawValue)
    }

    private func manifest(_ progress: Progress) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("format", Self.format)
            writer.member("version", Self.version)
            writer.key("files")
            writer.beginArray()
            for file in progress.files { file.write(to: &writer) }
            writer.endArray()
            writer.member("assetFiles", progress.assetFiles)
            writer.member("assetBytes", progress.assetBytes)
            writer.member("missing", progress.missing)
            writer.endObject()
        }
    }
}
