import HTTPTypes
import RecordEngine
import RecordModel

/// The headers that only files have.
enum AssetHeaders {
    static let resourcePolicy = HTTPField.Name.constant("Cross-Origin-Resource-Policy")

    /// What pages of other origins may read.
    static let exposed = "Accept-Ranges, Content-Length, Content-Range, ETag, X-Apple-Request-UUID"

    /// How a file is to be shown or saved, under the name that the address ends with (RFC 6266).
    static func disposition(_ encodedName: Substring, isShown: Bool) -> String {
        let way = isShown ? "inline" : "attachment"
        guard let name = fileName(encodedName) else { return way }
        // For clients that know the old parameter only; browsers take the other one where both are there.
        let plain = String(
            name.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "%" ? Character($0) : "_" })
        let start = "\(way); filename=\"\(plain)\""
        return plain == name ? start : "\(start); filename*=UTF-8''\(encoded(name))"
    }

    /// The name without what no name of a file has; nil where there is none.
    private static func fileName(_ encoded: Substring) -> String? {
        guard let text = RequestTarget.decoded(encoded), text != AssetPath.fileNameMark else { return nil }
        var name = String.UnicodeScalarView()
        for scalar in text.unicodeScalars
        where scalar.properties.generalCategory != .control && scalar != "/" && scalar != "\\"
            // With these a name could show another ending than it has.
            && !scalar.properties.isBidiControl
        {
            guard String(name).utf8.count < Limits.nameLength else { break }
            name.append(scalar)
        }
        return name.isEmpty ? nil : String(name)
    }

    /// Percent-encodes all but letters, digits and a few signs (RFC 8187 section 3.2.1).
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += "%\([byte].hex.uppercased())".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
