import AssetStorageFiles
import Crypto
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire
import SchemaLanguage
import Synchronization

/// What `stratus copy` does once everything is known that it was given.
struct CopyWork: Sendable {
    let client: SourceClient
    let scopes: [DatabaseScope]
    let tenant: Tenant
    /// The container there, in words.
    let source: String
    let types: [String]
    let document: SchemaDocument?
    let user: String?
    let deletes: Bool
    let restart: Bool
    let statePath: String?
    /// The folder of files.
    let files: String
    /// How long to wait between two looks; nil to end after the first.
    let every: Lifetime?
    let verifies: Bool
    let console: Console

    private static let saveInterval = Duration.milliseconds(500)

    /// Copies, until it is done or somebody stops it.
    func run(_ store: any RecordStore) async throws -> CopyOutput {
        let target = CopyTarget(
            store: store, files: try FileAssetStore(directory: files), now: { Clock.milliseconds })
        let identity = scopes.contains(.private) ? try await identity(store) : nil
        let file = stateFile(identity)
        let state = try state(in: file, identity)
        if state.isEmpty, let document { try await take(document, into: store) }
        let plan = CopyPlan(
            tenant: tenant, scopes: scopes, types: try typeNames(store), identity: identity, deletes: deletes)
        let result = Mutex(CopyOutput(counts: CopyCounts(), comparison: nil, isStopped: true))
        let ended = try await Interruption.run {
            try await copy(plan, to: target, state, file) { counts in
                result.withLock { $0 = CopyOutput(counts: counts, comparison: nil, isStopped: true) }
            }
        }
        return ended ?? result.withLock { $0 }
    }

    private func copy(
        _ plan: CopyPlan, to target: CopyTarget, _ state: CopyState, _ file: StateFile,
        _ note: @escaping @Sendable (CopyCounts) -> Void
    ) async throws -> CopyOutput {
        let progress = ProgressLine("Copying", console: console)
        let saved = Mutex(ContinuousClock.now)
        var copy = ContainerCopy(
            plan, from: client, to: target, state: state,
            save: { state in
                let isDue = saved.withLock { last in
                    let isDue = ContinuousClock.now - last >= Self.saveInterval
                    if isDue { last = .now }
                    return isDue
                }
                if isDue { try save(state, file) }
            },
            progress: { counts in
                progress.update(.init(done: 0, total: 0, records: counts.seen))
                note(counts)
            })
        defer { progress.finish() }
        while true {
            do {
                try await copy.run()
                try save(copy.state, file)
            } catch {
                try save(copy.state, file)
                guard let every, let failure = Failure(error), Self.mayPass(error) else { throw error }
                console.note(
                    "\(failure.sentence) The next look is in \(Format.seconds(Double(every.milliseconds) / 1_000))."
                )
            }
            guard let every else { break }
            let wait = Duration.milliseconds(every.milliseconds)
            try await Task.sleep(for: wait * Double.random(in: 1...1.1))
        }
        progress.finish()
        guard verifies else { return CopyOutput(counts: copy.counts, comparison: nil, isStopped: false) }
        let comparing = ProgressLine("Comparing", console: console)
        defer { comparing.finish() }
        var verification = CopyVerification(plan, with: client, and: target) {
            comparing.update(.init(done: 0, total: 0, records: $0))
        }
        return CopyOutput(counts: copy.counts, comparison: try await verification.run(), isStopped: false)
    }

    /// Whether a copy that follows should just look again later.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as ErrorDictionary: error.isTemporary || error.serverErrorCode.hasPrefix("HTTP_5")
        case let failure as Failure: failure.exitCode != Failure.usageCode
        default: false
        }
    }

    // MARK: The user

    /// Who the token's user is, there and here; made here where there is no such user yet.
    private func identity(_ store: any RecordStore) async throws -> SourceIdentity {
        let caller = try await client.send(.usersCaller, to: .public, EmptyRequest())
        guard let there = caller["userRecordName"]?.string, there.hasPrefix("_"),
            (try? Names.checkRecordName(String(there.dropFirst()))) != nil
        else { throw Failure("The service does not say who the token's user is.") }
        let label = user ?? there
        let row = try await store.write { [tenant] store in
            let users = try store.users(of: tenant)
            if let found = users.first(where: { $0.label == label || $0.recordName == label }) {
                return found
            }
            if let found = users.first(where: { $0.recordName == there }) {
                throw Failure.usage(
                    "The user of the token is '\(found.label)' here.",
                    remedy: "Leave out --user, or give --user '\(found.label)'.")
            }
            let row = UserRow(
                tenant: tenant, recordName: there, label: label, createdAt: Clock.milliseconds)
            try store.insert(row)
            return row
        }
        console.note("The private database of \(there) goes to the user '\(row.label)'.")
        return SourceIdentity(there: there, here: row.recordName)
    }

    // MARK: The schema

    private func typeNames(_ store: any RecordStore) throws -> [String] {
        let declared = document?.types.map(\.name) ?? []
        let here = store.schema(of: tenant).types.keys
        // Nobody can ask for the records of users.
        let names = Set(types + declared + here).subtracting(["Users"]).sorted()
        guard !names.isEmpty || !scopes.contains(.public) else {
            throw Failure.usage(
                "The protocol does not list record types, and none are known here.",
                remedy:
                    "Add --schema with what 'xcrun cktool export-schema' wrote, or --type for each type.")
        }
        return names
    }

    private func take(_ document: SchemaDocument, into store: any RecordStore) async throws {
        let container = tenant.container
        let plan = try await store.read(.long) {
            try SchemaText.importPlan(document, container: container, reader: $0)
        }
        guard !plan.steps.contains(where: \.isDestructive), plan.refusals.isEmpty else {
            throw Failure(
                "The schema here has types or fields that the one of --schema lacks.",
                remedy:
                    "Import it by hand and check what would be removed: stratus schema import --file FILE --container \(container) --dry-run. Or leave out --schema: the copy makes what is missing."
            )
        }
        _ = try await SchemaText.importSchema(
            document, container: container, allowsLoss: false, expecting: plan.digest, store: store)
        if tenant.environment == .production {
            _ = try await SchemaDeployment.deploy(container: container, expecting: nil, store: store)
        }
        console.note("The schema is here: \(counted(document.types.count, "record type")).")
    }

    // MARK: The state

    private func stateFile(_ identity: SourceIdentity?) -> StateFile {
        let parts = [
            tenant.container.rawValue, tenant.environment.rawValue,
            identity.map { Self.fileName(of: $0.here) },
        ]
        .compactMap { $0 }
        return StateFile(path: statePath ?? parts.joined(separator: "-") + ".stratus-copy")
    }

    /// A user's name as part of a file's: it may have any letters and be long, and a file's name may not.
    static func fileName(of user: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
        let text = user.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hex.uppercased()
        }
        .joined()
        guard text.utf8.count > fileNameBytes else { return text }
        return text.prefix(fileNameBytes) + "-" + Array(SHA256.hash(data: Array(user.utf8)).prefix(8)).hex
    }
    private static let fileNameBytes = 64

    private func state(in file: StateFile, _ identity: SourceIdentity?) throws -> CopyState {
        let databases = scopes.map(\.rawValue).joined(separator: " and ")
        let whose = identity.map { " of \($0.there), to \($0.here)" } ?? ""
        let target = "\(databases) of \(source)\(whose), into \(tenant) of \(files)"
        guard !restart, let bytes = file.contents else { return CopyState(target: target) }
        guard let state = CopyState(json: bytes) else {
            throw Failure.usage(
                "The state file \(file.path) cannot be read.",
                remedy: "Add --restart to check every record again.")
        }
        guard state.target == target else {
            throw Failure.usage(
                "The state file \(file.path) is of another copy: \(state.target).",
                remedy: "Name another file with --state, or add --restart.")
        }
        if !state.isEmpty { console.note("Continuing from \(file.path).") }
        return state
    }

    private func save(_ state: CopyState, _ file: StateFile) throws {
        try file.write(state.json, remedy: "Name another file with --state.")
    }
}
