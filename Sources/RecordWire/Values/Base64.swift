/// Base64 with padding, as the protocol's BYTES values use it (RFC 4648 section 4), and the form for addresses
/// without padding (section 5), as tokens use it.
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [Int8] = {
        var values = [Int8](repeating: -1, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = Int8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// Encodes with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: alphabet, pads: true)
    }

    /// Encodes for addresses: `-` and `_`, no padding.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: urlAlphabet, pads: false)
    }

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8], pads: Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                output.append(alphabet[Int(bits >> UInt32(count)) & 63])
            }
        }
        if count > 0 { output.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
        while pads, output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes either form, with or without padding; nil for anything else.
    public static func decode(_ text: String) -> [UInt8]? {
        var characters = Substring(text).utf8
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        let padding = text.utf8.count - characters.count
        guard characters.count % 4 != 1, padding == 0 || (padding <= 2 && text.utf8.count % 4 == 0) else {
            return nil
        }
        var output: [UInt8] = []
        output.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in characters {
            let value = values[Int(character)]
            guard value >= 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return output
    }
}
