/// What the first bytes of a picture say, found without decoding it.
struct PictureHeader: Equatable {
    enum Format: Equatable {
        case jpeg, png, gif, webp
    }

    let format: Format
    let width: Int
    let height: Int
    /// How the picture is to be turned.
    let orientation: Orientation

    /// Whether sides are exchanged when the picture is turned.
    var displayedWidth: Int { orientation.swapsSides ? height : width }
    var displayedHeight: Int { orientation.swapsSides ? width : height }

    /// Reads a header.
    ///
    /// - Throws: ``PhotoError``; `unknownFormat` or `damaged`.
    init(_ data: [UInt8]) throws(PhotoError) {
        let reader = ImageByteReader(data[...])
        let found: (format: Format, size: (Int, Int)?, exif: ImageByteReader?)
        if reader.byte(at: 0) == 0xFF, reader.byte(at: 1) == 0xD8, reader.byte(at: 2) == 0xFF {
            let (size, exif) = Self.jpeg(reader)
            found = (.jpeg, size, exif)
        } else if reader.byte(at: 0) == 0x89, reader.has("PNG\r\n\u{1A}\n", at: 1) {
            let (size, exif) = Self.png(reader)
            found = (.png, size, exif)
        } else if reader.has("GIF87a") || reader.has("GIF89a") {
            found = (.gif, Self.gif(reader), nil)
        } else if reader.has("RIFF"), reader.has("WEBP", at: 8) {
            let (size, exif) = Self.webp(reader)
            found = (.webp, size, exif)
        } else {
            throw PhotoError(
                .unknownFormat, "The file is not a picture that can be read.",
                remedy: "Use JPEG, PNG, WebP or GIF.")
        }
        guard let (width, height) = found.size, width > 0, height > 0 else { throw PhotoError.damaged }
        format = found.format
        self.width = width
        self.height = height
        orientation = found.exif.flatMap(Orientation.init(exif:)) ?? .up
    }
}

extension PhotoError {
    static var damaged: PhotoError {
        PhotoError(
            .damaged, "The picture is damaged.",
            remedy: "Take another copy of it, or save it again in a viewer.")
    }
}

extension PictureHeader {
    private typealias Found = (size: (Int, Int)?, exif: ImageByteReader?)

    /// Goes from marker to marker until the one with the frame's size.
    private static func jpeg(_ reader: ImageByteReader) -> Found {
        var exif: ImageByteReader?
        var offset = 2
        while let marker = reader.byte(at: offset + 1), reader.byte(at: offset) == 0xFF {
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset += 2
                continue
            }
            guard let length = reader.number(at: offset + 2, bytes: 2, .big), length >= 2 else { break }
            let segment = reader.part(from: offset + 4, length: length - 2)
            switch marker {
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                guard let height = segment.number(at: 1, bytes: 2, .big),
                    let width = segment.number(at: 3, bytes: 2, .big)
                else { return (nil, nil) }
                return ((width, height), exif)
            case 0xE1 where exif == nil && segment.has("Exif\0\0"): exif = segment.part(from: 6)
            case 0xD9, 0xDA: return (nil, nil)
            default: break
            }
            offset += 2 + length
        }
        return (nil, nil)
    }

    private static func png(_ reader: ImageByteReader) -> Found {
        guard reader.has("IHDR", at: 12), let width = reader.number(at: 16, bytes: 4, .big),
            let height = reader.number(at: 20, bytes: 4, .big)
        else { return (nil, nil) }
        var offset = 8
        while let length = reader.number(at: offset, bytes: 4, .big), !reader.has("IDAT", at: offset + 4) {
            if reader.has("eXIf", at: offset + 4) {
                return ((width, height), reader.part(from: offset + 8, length: length))
            }
            offset += 12 + length
        }
        return ((width, height), nil)
    }

    /// The size of the first picture: the one that is decoded, whatever the screen's size says.
    private static func gif(_ reader: ImageByteReader) -> (Int, Int)? {
        guard let flags = reader.byte(at: 10), let screenWidth = reader.number(at: 6, bytes: 2, .little),
            let screenHeight = reader.number(at: 8, bytes: 2, .little)
        else { return nil }
        var offset = 13 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
        while let introducer = reader.byte(at: offset) {
            switch introducer {
            case 0x21:
                offset += 2
                while let length = reader.byte(at: offset), length > 0 { offset += 1 + Int(length) }
                offset += 1
            case 0x2C:
                guard let width = reader.number(at: offset + 5, bytes: 2, .little),
                    let height = reader.number(at: offset + 7, bytes: 2, .little), width > 0, height > 0
                else { return nil }
                return (max(width, screenWidth), max(height, screenHeight))
            default: offset += 1
            }
        }
        return nil
    }

    private static func webp(_ reader: ImageByteReader) -> Found {
        if reader.has("VP8X", at: 12) {
            guard let width = reader.number(at: 24, bytes: 3, .little),
                let height = reader.number(at: 27, bytes: 3, .little)
            else { return (nil, nil) }
            var offset = 12
            while let length = reader.number(at: offset + 4, bytes: 4, .little) {
                if reader.has("EXIF", at: offset) {
                    let chunk = reader.part(from: offset + 8, length: length)
                    // Some programs put JPEG's prefix in front.
                    return ((width + 1, height + 1), chunk.has("Exif\0\0") ? chunk.part(from: 6) : chunk)
                }
                offset += 8 + length + length % 2
            }
            return ((width + 1, height + 1), nil)
        }
        if reader.has("VP8L", at: 12) {
            guard reader.byte(at: 20) == 0x2F, let bits = reader.number(at: 21, bytes: 4, .little) else {
                return (nil, nil)
            }
            return (((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1), nil)
        }
        guard reader.has("VP8 ", at: 12), let width = reader.number(at: 26, bytes: 2, .little),
            let height = reader.number(at: 28, bytes: 2, .little)
        else { return (nil, nil) }
        return ((width & 0x3FFF, height & 0x3FFF), nil)
    }
}
