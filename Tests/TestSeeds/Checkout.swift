public import Foundation

/// The repository that the tests were built in.
public enum Checkout {
    /// Where it is.
    public static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A file or folder of it, such as `Sources/RecordServer`.
    public static func file(_ path: String) -> URL { url.appendingPathComponent(path) }
}
