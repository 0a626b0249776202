import Foundation
import Synchronization

/// A PostgreSQL of the tests' own, which listens on a socket in a temporary folder alone; all tests of a process share
/// it, each in a database of its own. It ends with the process, however that ends.
public final class PostgresCluster: Sendable {
    /// The address of its first database.
    public let url: String

    /// What went wrong when it was started.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private static let started = Result { try PostgresCluster() }

    /// The cluster of this process, started when it is first asked for.
    ///
    /// - Throws: ``Failure`` where PostgreSQL cannot be started.
    public static func shared() throws -> PostgresCluster { try started.get() }

    /// Starts a cluster.
    ///
    /// - Parameter options: options of the server, such as `-c max_connections=5`.
    public init(options: String = "-c fsync=off") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", Checkout.file("scripts/postgres.sh").path, "run"]
        process.environment = ProcessInfo.processInfo.environment.merging(["POSTGRES_OPTIONS": options]) {
            $1
        }
        let output = Pipe()
        // Never closed: the script stops the server when this process, and with it the pipe's other end, is gone.
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n")
        {
            line.append(byte)
        }
        url = String(decoding: line, as: UTF8.self)
        guard url.hasPrefix("postgres://") else {
            throw Failure(description: "PostgreSQL was not started; scripts/postgres.sh run says why.")
        }
        Self.held.withLock { $0.append(input.fileHandleForWriting) }
    }

    /// Handles that stay open as long as the process runs.
    private static let held = Mutex<[FileHandle]>([])

    /// The address of one of its databases.
    public func url(ofDatabase name: String) -> String {
        url.replacingOccurrences(of: "/postgres?", with: "/\(name)?")
    }
}
