import CGD
import Foundation

@testable import PhotoScaling

/// Pictures that the tests make, and what is in pictures that came out.
enum TestPicture {
    static let red: Int32 = 0xF0_1010
    static let green: Int32 = 0x10_F010
    static let blue: Int32 = 0x10_10F0
    static let yellow: Int32 = 0xF0_F010

    /// A picture whose quarters are red and green above blue and yellow.
    static func make(_ width: Int, _ height: Int, _ format: PictureHeader.Format = .jpeg) -> Data {
        guard let image = gdImageCreateTrueColor(Int32(width), Int32(height)) else { return Data() }
        defer { gdImageDestroy(image) }
        for y in 0..<height {
            for x in 0..<width {
                let color =
                    switch (x < width / 2, y < height / 2) {
                    case (true, true): red
                    case (false, true): green
                    case (true, false): blue
                    case (false, false): yellow
                    }
                gdImageSetPixel(image, Int32(x), Int32(y), color)
            }
        }
        return encode(image, format)
    }

    /// A PNG that nothing can be seen of.
    static func transparent(_ width: Int, _ height: Int) -> Data {
        guard let image = gdImageCreateTrueColor(Int32(width), Int32(height)) else { return Data() }
        defer { gdImageDestroy(image) }
        gdImageAlphaBlending(image, 0)
        gdImageSaveAlpha(image, 1)
        gdImageFilledRectangle(image, 0, 0, Int32(width - 1), Int32(height - 1), 0x7F00_0000)
        return encode(image, .png)
    }

    private static func encode(_ image: gdImagePtr, _ format: PictureHeader.Format) -> Data {
        var size: Int32 = 0
        let bytes =
            switch format {
            case .jpeg: gdImageJpegPtr(image, &size, 95)
            case .png: gdImagePngPtr(image, &size)
            case .gif: gdImageGifPtr(image, &size)
            case .webp: gdImageWebpPtr(image, &size)
            }
        guard let bytes else { return Data() }
        defer { gdFree(bytes) }
        return Data(bytes: bytes, count: Int(size))
    }

    /// The size of a JPEG and the colours in the middle of its quarters, by name, row by row.
    static func look(_ jpeg: Data) -> (width: Int, height: Int, quarters: [String]) {
        let image = jpeg.withUnsafeBytes {
            gdImageCreateFromJpegPtr(Int32($0.count), UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        guard let image else { return (0, 0, []) }
        defer { gdImageDestroy(image) }
        let (width, height) = (Int(image.pointee.sx), Int(image.pointee.sy))
        let quarters = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            name(gdImageGetTrueColorPixel(image, Int32(width * x / 4), Int32(height * y / 4)))
        }
        return (width, height, quarters)
    }

    private static func name(_ color: Int32) -> String {
        switch (color >> 16 & 255 > 128, color >> 8 & 255 > 128, color & 255 > 128) {
        case (true, false, false): "red"
        case (false, true, false): "green"
        case (false, false, true): "blue"
        case (true, true, false): "yellow"
        case (true, true, true): "white"
        default: "?"
        }
    }

    /// EXIF's TIFF structure with an orientation, and another tag in front.
    static func exif(_ orientation: Int, isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            let big = (0..<bytes).reversed().map { UInt8(value >> (8 * $0) & 255) }
            return isLittle ? big.reversed() : big
        }
        let first = number(0x0100, 2) + number(3, 2) + number(1, 4) + number(9, 2) + [0, 0]
        let second = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(2, 2) + first
            + second
            + number(0, 4)
    }

    /// A JPEG with EXIF in front of its other segments.
    static func jpeg(_ picture: Data, exif: [UInt8]) -> Data {
        let content = Array("Exif\0\0".utf8) + exif
        let length = content.count + 2
        return picture.prefix(2) + Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + content)
            + picture.dropFirst(2)
    }
}
