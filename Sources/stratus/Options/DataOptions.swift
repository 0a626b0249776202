import ArgumentParser
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// The data directory that a command works on directly.
struct DataOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The data directory. Default: STRATUS_DATA, then 'data' in stratus.json, then ./data.",
            valueName: "directory"))
    var data: String?

    @Option(name: .long, help: ArgumentHelp("The settings file. Default: stratus.json.", valueName: "file"))
    var config: String?

    /// The directory that counts.
    func directory() throws -> String {
        try ServerSettings.resolve(flags: [.data: data], configuration: config).dataDirectory
    }

    /// Opens the store beside a server that may be running, and closes it after the work.
    func withStore<Value: Sendable>(_ work: (SQLiteStore) async throws -> Value) async throws -> Value {
        let directory = try directory()
        // A typing error in --data must not make an empty database that then is filled with tokens.
        guard FileManager.default.fileExists(atPath: directory) else {
            throw Failure.usage(
                "The data directory \(directory) does not exist.",
                remedy:
                    "Name the server's directory with --data, or make one: stratus serve --data \(directory)")
        }
        let store = try SQLiteStore(directory: directory, sharing: .shared)
        do {
            let value = try await work(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }
}
