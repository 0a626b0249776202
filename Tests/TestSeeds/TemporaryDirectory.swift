public import Foundation

/// A directory that goes when nothing holds it any more.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// The same as an address.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Makes a directory of its own.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/stratus-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and makes the folders that lead there.
    @discardableResult
    public func write(_ data: Data, _ name: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }

    /// Writes a text, and makes the folders that lead there.
    @discardableResult
    public func write(_ text: String, _ name: String) throws -> URL { try write(Data(text.utf8), name) }

    /// The path of a file with a text.
    public func file(_ name: String, _ text: String = "") throws -> String { try write(text, name).path }
}

/// Runs the body with a file, which goes away.
public func withFile<Value>(_ bytes: some Sequence<UInt8>, _ body: (URL) async throws -> Value) async throws
    -> Value
{
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.write(Data(bytes), "file"))
}
