/// Texts as PostgreSQL can hold them: it has no NUL in `text`, and clients may send one.
///
/// The escape keeps order and prefixes, so comparisons are the same on both sides: NUL becomes U+0001 U+0001, and U+0001
/// becomes U+0001 U+0002.
enum PostgresText {
    static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 <= 1 }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes += byte <= 1 ? [1, byte + 1] : [byte] }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(1) else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                bytes.append(byte - 1)
                isEscaped = false
            } else if byte == 1 {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
