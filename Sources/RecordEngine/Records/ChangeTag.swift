/// The text of a record's version.
enum ChangeTag {
    /// Short and opaque, as the original's are.
    static func text(_ sequence: Int64) -> String { String(sequence, radix: 36) }

    /// The number that a text stands for; nil for one that is not ours.
    static func sequence(_ text: String) -> Int64? {
        guard let sequence = Int64(text, radix: 36), self.text(sequence) == text else { return nil }
        return sequence
    }
}
