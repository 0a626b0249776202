import ArgumentParser
import Foundation
import RecordModel
import RecordStorage
import RecordStorageOpening
import RecordStorageSQLite

/// The data directory that a command works on directly.
struct DataOptions: ParsableArguments {
    @Option(Settings.data) var data: String?
    @Option(Settings.config) var config: String?
    @Option(Settings.store) var store: String?

    /// What was given.
    var flags: [SettingKey: String?] {
        [Settings.data.key: data, Settings.config.key: config, Settings.store.key: store]
    }

    /// The directory that counts.
    func directory() throws -> String { try settings().dataDirectory }

    /// The server's settings as far as this process knows them.
    func settings() throws -> ServerSettings { try ServerSettings.resolve(flags: flags) }

    /// The directory that counts, where it holds a database: for commands that must not make one.
    ///
    /// - Throws: a ``Failure`` where it holds none.
    func databaseDirectory() throws -> String {
        let settings = try settings()
        guard case .sqlite(let directory) = settings.store else {
            throw Failure.usage(
                "This command works on SQLite's files only, and the records are in \(settings.store).",
                remedy: "Use PostgreSQL's own tools, or name a directory with --data and --store sqlite:")
        }
        guard FileManager.default.fileExists(atPath: directory + "/" + SQLiteStore.fileName) else {
            throw Failure.usage(
                "There is no \(SQLiteStore.fileName) in \(directory).",
                remedy: "Name the server's directory with --data.")
        }
        return directory
    }

    /// Opens the store beside a server that may be running, and closes it after the work.
    func withStore<Value: Sendable>(_ work: (any RecordStore) async throws -> Value) async throws -> Value {
        let settings = try settings()
        guard case .sqlite(let directory) = settings.store else {
            return try await Self.with(settings.sealed(settings.store.open()), work)
        }
        // A typing error in --data must not make an empty database that then is filled with tokens.
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else {
            throw Failure.usage(
                "The data directory \(directory) does not exist.",
                remedy:
                    "Name the server's directory with --data, or make one: stratus serve --data \(directory)")
        }
        guard isDirectory.boolValue else {
            throw Failure.usage(
                "\(directory) is a file, not a directory.", remedy: "Name the server's directory with --data."
            )
        }
        do {
            return try await Self.with(settings.sealed(settings.store.open(.shared)), work)
        } catch {
            throw Self.accessFailure(directory) ?? error
        }
    }

    /// Closes the store after the work.
    static func with<Value: Sendable>(
        _ store: any RecordStore, _ work: (any RecordStore) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await work(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    /// What an error most likely means where this user may not use the files; nil where he may.
    static func accessFailure(_ directory: String) -> Failure? {
        // A directory that cannot be listed is found below.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let paths = files.filter { $0.hasPrefix(SQLiteStore.fileName) }.sorted().map { directory + "/" + $0 }
        guard let first = ([directory] + paths).first(where: { access($0, R_OK | W_OK) != 0 }) else {
            return nil
        }
        return Failure(
            "This user may not read and write \(first).",
            remedy: "Run the command as the server's user, for example: sudo -u USER stratus …")
    }
}
