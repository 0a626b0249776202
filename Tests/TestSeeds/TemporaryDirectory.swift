import Foundation

/// A directory that goes when nothing holds it any more.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Makes a directory of its own.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/stratus-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
