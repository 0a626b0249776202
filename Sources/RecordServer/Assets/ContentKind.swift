/// What a file is, recognised by its first bytes: never by what its uploader says of it.
struct ContentKind: Equatable {
    /// The media type.
    let type: String
    /// Whether a browser may show it; all others are saved.
    let isShown: Bool

    private static let unknown = ContentKind(type: "application/octet-stream", isShown: false)

    private init(type: String, isShown: Bool) {
        self.type = type
        self.isShown = isShown
    }

    /// Looks at the beginning of a file.
    ///
    /// Only kinds that cannot carry script are shown, so SVG and HTML are not among them.
    init(head: [UInt8]) {
        func begins(_ bytes: [UInt8], at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: bytes) }
        func begins(_ text: StaticString, at place: Int = 0) -> Bool {
            begins(
                Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)), at: place)
        }
        let type: String? =
            if begins([0xFF, 0xD8, 0xFF]) {
                "image/jpeg"
            } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                "image/png"
            } else if begins("GIF87a") || begins("GIF89a") {
                "image/gif"
            } else if begins("RIFF"), begins("WEBP", at: 8) {
                "image/webp"
            } else if begins("ftyp", at: 4) {
                Self.container(brand: Array(head.dropFirst(8).prefix(4)))
            } else if begins("%PDF-") {
                "application/pdf"
            } else if begins("ID3") || begins([0xFF, 0xFB]) {
                "audio/mpeg"
            } else {
                nil
            }
        self = type.map { ContentKind(type: $0, isShown: true) } ?? Self.unknown
    }

    /// The kinds that share the container format of ISO 14496-12.
    private static func container(brand: [UInt8]) -> String? {
        switch String(decoding: brand, as: UTF8.self) {
        case "heic", "heix", "mif1", "msf1": "image/heic"
        case "avif", "avis": "image/avif"
        case "qt  ": "video/quicktime"
        case "M4A ", "M4B ": "audio/mp4"
        default: "video/mp4"
        }
    }

    /// The policy under which a browser may show the file. Browsers' own viewers of PDF do not open in a sandbox.
    var policy: String {
        type == "application/pdf"
            ? "default-src 'none'; object-src 'self'; plugin-types application/pdf"
            : "default-src 'none'; sandbox"
    }
}
