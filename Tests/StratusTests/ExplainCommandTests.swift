import ArgumentParser
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import TestSeeds
import Testing

@testable import stratus

/// `stratus explain access` on a real data directory; what it prints goes to the test's own output.
@Suite struct ExplainCommandTests {
    private func run(_ arguments: [String]) async throws {
        var command = try Stratus.parseAsRoot(["explain", "access"] + arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    @Test func `It explains beside a server, and refuses whom it does not know`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let tenant = Tenant(container: try ContainerID("iCloud.t"), environment: .development)
        for name in ["ada", "ben"] {
            _ = try await Users.add(name, to: tenant, store: store, environment: ServiceEnvironment.system)
        }
        await store.close()
        let flags = ["--data", directory.path, "--container", "iCloud.t"]
        try await run(["--user", "ada", "--record", "milk"] + flags)
        try await run(
            ["--user", "ada", "--record", "milk", "--owner", "ben", "--zone", "Lists", "--json"] + flags)
        await #expect(throws: (any Error).self, "Custom zones are in private databases.") {
            try await run(["--user", "ada", "--record", "milk", "--zone", "Lists"] + flags)
        }
        await #expect(throws: ServiceError.self) {
            try await run(["--user", "cleo", "--record", "milk"] + flags)
        }
        await #expect(throws: ServiceError.self) {
            try await run(["--user", "ada", "--record", "milk", "--owner", "cleo"] + flags)
        }
    }
}
