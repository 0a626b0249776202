import Foundation
import RecordModel

/// How operators make a container's sign-in page look like their app: a color and a picture.
public enum SignInLook {
    /// The largest picture, in bytes.
    public static let mostLogoBytes = 64 * 1_024
    /// The least contrast between the color and what is written on it, or what it is written on (WCAG 2.2, 1.4.3).
    static let leastContrast = 4.5
    /// What a button of the color says is white; links of it are on white, or on the page's ground.
    private static let white = [255.0, 255, 255]
    private static let ground = [245.0, 246, 248]

    /// The type of a picture by its first bytes, as HTTP names it; nil for anything that is not a picture that pages show.
    public static func type(ofLogo bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            return "image/webp"
        }
        return nil
    }

    static func check(logo bytes: [UInt8]) throws(ServiceError) {
        guard bytes.count <= mostLogoBytes else {
            throw ServiceError(
                .badRequest, "The logo has more than \(mostLogoBytes) bytes.",
                remedy: "Make the picture smaller: the page shows it 64 pixels high.")
        }
        guard type(ofLogo: bytes) != nil else {
            throw ServiceError(
                .badRequest, "The logo is neither a PNG, a JPEG nor a WebP picture.",
                remedy: "Convert it to PNG.")
        }
    }

    /// A color in the form in which it is kept.
    ///
    /// - Throws: `BAD_REQUEST` for what is not `#rrggbb`, or too light to be read.
    static func checked(color text: String) throws(ServiceError) -> String {
        let color = text.lowercased()
        guard let parts = components(of: color) else {
            throw ServiceError(
                .badRequest, "'\(text.prefix(20))' is no color.", remedy: "Write it as '#rrggbb': #0a3d62.")
        }
        let (onWhite, onGround) = (contrast(parts, white), contrast(parts, ground))
        guard min(onWhite, onGround) >= leastContrast else {
            let figures = [onWhite, onGround].map { String(format: "%.2f", $0) }
            throw ServiceError(
                .badRequest,
                "The contrast of \(color) is \(figures[0]) with white and \(figures[1]) with the page's ground; it has to be \(leastContrast).",
                remedy: "Use a darker shade of it.")
        }
        return color
    }

    private static func components(of color: String) -> [Double]? {
        let digits = Array(color.utf8)
        guard digits.count == 7, digits.first == UInt8(ascii: "#") else { return nil }
        var values: [Double] = []
        for start in [1, 3, 5] {
            guard let high = hexValue(digits[start]), let low = hexValue(digits[start + 1]) else {
                return nil
            }
            values.append(Double(high * 16 + low))
        }
        return values
    }

    private static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    /// The contrast of two colors, from 1 to 21.
    private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
        let (first, second) = (luminance(one), luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private static func luminance(_ color: [Double]) -> Double {
        let linear = color.map { part in
            let part = part / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
