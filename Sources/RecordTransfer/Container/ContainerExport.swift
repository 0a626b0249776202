import Foundation
import NIOCore
import RecordEngine
public import RecordModel
public import RecordStorage
import RecordWire
import SchemaLanguage

/// Writes a container into a folder of documented files (Documentation/Moving.md, 'The files of a container').
///
/// Equal containers make equal files, byte for byte, whatever numbers the stores gave: what is written has no change tags
/// and no times but those of records, users and tokens. It is as of one moment where the store is a copy of its own.
public struct ContainerExport: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// What was written.
        public var manifest: ContainerManifest
        /// The files that records refer to and that are not there.
        public var missing: [AssetDigest] = []
    }

    private let container: ContainerID
    private let store: any RecordStore
    private let assets: any AssetStore
    private let progress: @Sendable (Int) -> Void

    private static let pageRecords = 500
    private static let chunkBytes = 1 << 20

    /// Names the container.
    ///
    /// - Parameters:
    ///   - container: what is exported, in both environments.
    ///   - store: where its records are.
    ///   - assets: where its files are.
    ///   - progress: told how many records were written.
    public init(
        _ container: ContainerID, store: any RecordStore, assets: any AssetStore,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.container = container
        self.store = store
        self.assets = assets
        self.progress = progress
    }

    /// Writes everything into a folder that is empty; the manifest comes last.
    ///
    /// - Throws: ``TransferError``; `StorageError`; `CancellationError`.
    public func run(to folder: String) async throws -> Outcome {
        var outcome = Outcome(manifest: ContainerManifest(container: container.rawValue))
        let tenants = try await store.read(.short) { try $0.tenants() }
        for environment in ContainerPaths.environments {
            let tenant = Tenant(container: container, environment: environment)
            guard tenants.contains(tenant) else { continue }
            try await write(tenant, to: folder, &outcome)
        }
        guard !outcome.manifest.files.isEmpty else {
            throw TransferError(
                "EXPORT_NOTHING", "There is no container \(container) here.",
                remedy: "'stratus usage' and the console name those that there are.")
        }
        var file = try DigestedFile(ContainerManifest.fileName, in: folder)
        try file.write(line: outcome.manifest.json)
        _ = try file.finish()
        return outcome
    }

    private func write(_ tenant: Tenant, to folder: String, _ outcome: inout Outcome) async throws {
        func file(_ name: String) throws -> DigestedFile {
            try DigestedFile(ContainerPaths.path(name, tenant.environment), in: folder)
        }
        let (schema, users, tokens) = try await store.read(.long) { reader in
            (
                try reader.schema(of: tenant), try reader.users(of: tenant),
                try reader.identifiedTokens(of: tenant)
            )
        }
        var text = try file(ContainerPaths.schema)
        try text.write(Array(SchemaText.document(of: schema).description.utf8))
        outcome.manifest.files.append(try text.finish())
        var people = try file(ContainerPaths.users)
        for user in users.sorted(by: { $0.recordName < $1.recordName }) { try people.write(line: user.line) }
        outcome.manifest.files.append(try people.finish())
        var keys = try file(ContainerPaths.tokens)
        for token in tokens.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
            try keys.write(line: token.line)
        }
        outcome.manifest.files.append(try keys.finish())
        var versions = try file(ContainerPaths.versions)
        for type in schema.visibleTypes.values.sorted(by: {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }) {
            if let keeping = type.keeping { try versions.write(line: keeping.line(ofType: type.name)) }
        }
        outcome.manifest.files.append(try versions.finish())
        let owners = try await owners(of: tenant)
        var zones = try file(ContainerPaths.zones)
        for owner in owners {
            for zone in try await outlet(tenant, owner).zones() where zone != ZoneID.defaultName {
                try zones.write(line: Self.place(owner, zone, nil))
            }
        }
        outcome.manifest.files.append(try zones.finish())
        var records = try file(ContainerPaths.records)
        let types = schema.types.keys.sorted()
        for owner in owners {
            for zone in try await outlet(tenant, owner).zones().sorted() {
                for type in types {
                    try await write(type, of: tenant, owner, zone, to: &records, folder, &outcome)
                }
            }
        }
        outcome.manifest.files.append(try records.finish())
    }

    private func write(
        _ type: String, of tenant: Tenant, _ owner: String?, _ zone: String, to file: inout DigestedFile,
        _ folder: String, _ outcome: inout Outcome
    ) async throws {
        let outlet = outlet(tenant, owner)
        var position: ScanCursor?
        var count = 0
        repeat {
            try Task.checkCancellation()
            let page = try await outlet.page(ofType: type, in: zone, after: position, limit: Self.pageRecords)
            position = page.next
            for record in page.records {
                for content in record.contents { try await write(content, to: folder, &outcome) }
                try file.write(line: Self.place(owner, zone, record))
            }
            count += page.records.count
            if !page.records.isEmpty { progress(page.records.count) }
        } while position != nil
    }

    /// A line that says where something is, and what.
    static func place(_ owner: String?, _ zone: String, _ record: IncomingRecord?) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("owner", owner)
            writer.member("zone", zone)
            if let record {
                writer.key("record")
                writer.raw(record.json(isSorted: false))
            }
            writer.endObject()
        }
    }

    /// Whose databases there are, the public one first.
    private func owners(of tenant: Tenant) async throws -> [String?] {
        let usages = try await store.read(.long) { try $0.databaseUsages(of: tenant, limit: .max) }
        let names = Set(usages.compactMap(\.owner)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return [nil] + names
    }

    private func outlet(_ tenant: Tenant, _ owner: String?) -> RecordOutlet {
        RecordOutlet(store: store, database: DatabaseID(tenant: tenant, owner: owner))
    }

    private func write(_ content: AssetContent, to folder: String, _ outcome: inout Outcome) async throws {
        let name = ContainerPaths.asset(content.digest)
        guard !FileManager.default.fileExists(atPath: folder + "/" + name) else { return }
        guard let reader = try await assets.open(content.digest) else {
            if !outcome.missing.contains(content.digest) { outcome.missing.append(content.digest) }
            return
        }
        var file = try DigestedFile(name, in: folder)
        var offset: Int64 = 0
        while offset < reader.size {
            let bytes = try await reader.read(at: offset, count: Self.chunkBytes)
            guard bytes.readableBytes > 0 else { break }
            offset += Int64(bytes.readableBytes)
            try file.write(Array(buffer: bytes))
        }
        guard try file.finish().sha256 == content.digest.hex else {
            throw TransferError(
                "EXPORT_FILE_DAMAGED", "The file \(content.digest) of a record is damaged.",
                remedy: "'stratus assets verify' names the records that have it.")
        }
        outcome.manifest.assetFiles += 1
        outcome.manifest.assetBytes += content.size
    }
}
