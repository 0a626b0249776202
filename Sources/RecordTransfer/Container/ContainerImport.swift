import Foundation
import NIOCore
public import RecordEngine
public import RecordModel
public import RecordStorage
import RecordWire
import SchemaLanguage

/// Reads a container from the files of an export into a store that does not have it yet.
///
/// Records are taken in as they are; what was stored before an interruption changes nothing when it comes again.
public struct ContainerImport: Sendable {
    /// The folder.
    public let folder: String
    /// What is in it.
    public let manifest: ContainerManifest
    /// SHA-256 of the manifest, by which an import that goes on knows that it is the same one.
    public let fingerprint: String

    private static let recordsPerBatch = 200
    private static let bytesPerBatch: Int64 = 4 << 20
    private static let chunkBytes = 1 << 20

    /// Opens an export.
    ///
    /// - Throws: ``TransferError`` where the folder is none.
    public init(_ folder: String) throws {
        self.folder = folder
        let path = folder + "/" + ContainerManifest.fileName
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TransferError(
                "EXPORT_INCOMPLETE",
                "\(folder) has no \(ContainerManifest.fileName), so it is not a whole export.",
                remedy: "Export again: an export that was interrupted has none.")
        }
        manifest = try ContainerManifest(json: Array(data))
        fingerprint = try DigestedFile.digest(of: path).sha256
    }

    /// Reads every file of lines and compares it with the manifest.
    ///
    /// - Throws: ``TransferError`` that names the file.
    public func check() throws {
        for file in manifest.files {
            let path = folder + "/" + file.path
            guard FileManager.default.fileExists(atPath: path) else {
                throw TransferError("EXPORT_DAMAGED", "\(path) is missing.", remedy: Self.remedy)
            }
            let found = try DigestedFile.digest(of: path)
            guard found.sha256 == file.sha256, found.bytes == file.bytes else {
                throw TransferError(
                    "EXPORT_DAMAGED", "\(path) is not what was exported: its SHA-256 is another one.",
                    remedy: Self.remedy)
            }
        }
    }

    private static let remedy = "Copy the folder again, or export again."

    /// Whether a container is free to be imported into.
    ///
    /// - Throws: `StorageError` where the store cannot be read; `CancellationError`.
    public static func isFree(_ container: ContainerID, in store: any RecordStore) async throws -> Bool {
        try await store.read(.short) { try !$0.tenants().contains { $0.container == container } }
    }

    /// Makes schema, users, tokens and zones: what already exists stays.
    ///
    /// - Returns: how many tokens are left out since the store knows them in another container.
    /// - Throws: ``TransferError``; `StorageError`; what a schema is refused with.
    public func begin(as container: ContainerID, to target: CopyTarget, withSchema: Bool) async throws -> Int
    {
        var leftOut = 0
        for environment in environments {
            let tenant = Tenant(container: container, environment: environment)
            if withSchema { try await takeSchema(of: tenant, into: target) }
            leftOut += try await takeAccess(to: tenant, into: target)
            try await takeKeeping(to: tenant, into: target)
            try await forEachLine(ContainerPaths.zones, environment) { line in
                let database = DatabaseID(tenant: tenant, owner: try line.string("owner"))
                try await RecordIntake(store: target.store, database: database, now: target.now)
                    .makeZone(named: try line.requiredString("zone"))
            }
        }
        return leftOut
    }

    /// Takes the records in, from a position in all files of records together.
    ///
    /// - Parameter acknowledge: told the position after records that are stored.
    /// - Throws: ``TransferError``; `StorageError`; `CancellationError`.
    public func takeRecords(
        as container: ContainerID, to target: CopyTarget, from position: Int64,
        acknowledge: (_ position: Int64, _ outcome: IntakeOutcome) throws -> Void
    ) async throws {
        var before: Int64 = 0
        for environment in environments {
            let path = ContainerPaths.path(ContainerPaths.records, environment)
            let bytes = manifest.files.first { $0.path == path }?.bytes ?? 0
            defer { before += bytes }
            guard position < before + bytes else { continue }
            let tenant = Tenant(container: container, environment: environment)
            let start = before
            try await takeRecords(
                of: tenant, to: target, path, from: max(0, position - before)
            ) { try acknowledge(start + $0, $1) }
        }
    }

    private var environments: [CloudEnvironment] {
        ContainerPaths.environments.filter { environment in
            manifest.files.contains { $0.path.hasPrefix(environment.rawValue + "/") }
        }
    }

    private func forEachLine(
        _ name: String, _ environment: CloudEnvironment, _ body: (JSONObject) async throws -> Void
    ) async throws {
        var file = try LineFile(folder + "/" + ContainerPaths.path(name, environment))
        while let line = try file.next() { try await body(line) }
    }

    // MARK: Schema, users, tokens

    /// Development's text is imported; production's too, and then deployed.
    private func takeSchema(of tenant: Tenant, into target: CopyTarget) async throws {
        let path = folder + "/" + ContainerPaths.path(ContainerPaths.schema, tenant.environment)
        guard let data = FileManager.default.contents(atPath: path) else { throw TransferError.file(path) }
        let document = try SchemaDocument(parsing: String(decoding: data, as: UTF8.self))
        _ = try await SchemaText.importSchema(
            document, container: tenant.container, allowsLoss: false, store: target.store)
        guard tenant.environment == .production else { return }
        _ = try await SchemaDeployment.deploy(container: tenant.container, store: target.store)
    }

    private func takeAccess(to tenant: Tenant, into target: CopyTarget) async throws -> Int {
        try await forEachLine(ContainerPaths.users, tenant.environment) { line in
            let user = try UserRow(line: line, tenant: tenant)
            try await target.store.write { store in
                if try store.user(named: user.recordName, of: tenant) == nil { try store.insert(user) }
            }
        }
        var leftOut = 0
        try await forEachLine(ContainerPaths.tokens, tenant.environment) { line in
            let token = try IdentifiedToken(line: line, tenant: tenant)
            leftOut += try await target.store.write { store in
                if let there = try store.token(digest: token.digest) { return there.tenant == tenant ? 0 : 1 }
                try store.insert(token.row, digest: token.digest)
                return 0
            }
        }
        return leftOut
    }

    /// Which types keep versions of their records, from now on: there are none in an export.
    private func takeKeeping(to tenant: Tenant, into target: CopyTarget) async throws {
        let path = ContainerPaths.path(ContainerPaths.versions, tenant.environment)
        guard manifest.files.contains(where: { $0.path == path }) else { return }
        try await forEachLine(ContainerPaths.versions, tenant.environment) { line in
            let name = try line.requiredString("type")
            guard let keeping = try VersionKeeping(line: line) else {
                throw TransferError(
                    "EXPORT_DAMAGED", "\(path) says of the type '\(name)' what no server keeps.",
                    remedy: "Correct its line, or remove it; count and days are limited (/limits).")
            }
            try await target.store.write { store in
                guard let type = try store.schema(of: tenant).types[name], type.keeping == nil else { return }
                _ = try store.setKeeping(keeping, of: type, tenant: tenant)
            }
        }
    }

    // MARK: Records

    private func takeRecords(
        of tenant: Tenant, to target: CopyTarget, _ path: String, from offset: Int64,
        _ acknowledge: (_ position: Int64, _ outcome: IntakeOutcome) throws -> Void
    ) async throws {
        var file = try LineFile(folder + "/" + path, from: offset)
        var batch: [IncomingRecord] = []
        var place: (owner: String?, zone: String)?
        var start = offset
        var end = offset
        func flush() async throws {
            guard let from = place, !batch.isEmpty else { return }
            try Task.checkCancellation()
            let database = DatabaseID(tenant: tenant, owner: from.owner)
            var files: Set<AssetContent> = []
            for record in batch { files.formUnion(record.contents) }
            for content in files { try await put(content, into: target.files) }
            let outcome = try await RecordIntake(store: target.store, database: database, now: target.now)
                .take(batch, into: from.zone, files: files)
            try acknowledge(end, outcome)
            batch.removeAll(keepingCapacity: true)
            start = end
        }
        while let line = try file.next() {
            let next = (owner: try line.string("owner"), zone: try line.requiredString("zone"))
            let isFull = batch.count >= Self.recordsPerBatch || end - start >= Self.bytesPerBatch
            if let there = place, isFull || there != next { try await flush() }
            place = next
            guard let record = try line.object("record") else {
                throw TransferError("EXPORT_DAMAGED", "\(path) has a line without a record.")
            }
            batch.append(try IncomingRecord(json: record))
            end = file.offset
        }
        try await flush()
    }

    /// Puts a file into its place, unless it is there.
    private func put(_ content: AssetContent, into store: any AssetStore) async throws {
        if let there = try await store.open(content.digest), there.size == content.size { return }
        let path = folder + "/" + ContainerPaths.asset(content.digest)
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw TransferError(
                "EXPORT_DAMAGED", "\(path) is missing, and a record refers to it.", remedy: Self.remedy)
        }
        defer { try? handle.close() }
        let writer = try await store.beginUpload()
        do {
            while let data = try handle.read(upToCount: Self.chunkBytes), !data.isEmpty {
                try await writer.write(ByteBuffer(bytes: data))
            }
            guard try await writer.finish() == content else {
                throw TransferError(
                    "EXPORT_DAMAGED", "\(path) is not what was exported: its SHA-256 is another one.",
                    remedy: Self.remedy)
            }
            try await writer.place()
        } catch {
            await writer.abandon()
            throw error
        }
    }
}
