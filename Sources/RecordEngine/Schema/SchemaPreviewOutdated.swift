/// The schema changed after somebody looked at what a change would do; nothing was changed.
public struct SchemaPreviewOutdated: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error's name, which does not change between versions.
    public static let code = "SCHEMA_PREVIEW_OUTDATED"
    /// What went wrong.
    public let sentence = "The schema has changed since: the result would not be what was shown."
    /// What to do about it.
    public let remedy = "Review what would change now, then decide again."

    init() {}

    public var description: String { "\(Self.code): \(sentence) \(remedy)" }
}

/// Short texts that stand for what a preview showed.
enum PreviewDigest {
    /// As many bytes as keep anybody from making two previews of the same text.
    private static let bytes = 16

    static func text(of lines: [String]) -> String {
        // With its length before it, no line can pass for two.
        let text = lines.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        return AccessToken.make(random: Array(AccessToken.digest(text).prefix(bytes)))
    }
}
