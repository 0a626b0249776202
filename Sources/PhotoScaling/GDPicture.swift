internal import CGD

/// A picture in libgd's memory.
final class GDPicture {
    private let image: gdImagePtr

    private init(_ image: gdImagePtr) { self.image = image }

    deinit { gdImageDestroy(image) }

    private static let silence: Void = stratus_gd_be_silent()

    /// Decodes a file; nil where the library finds it damaged, or there is no memory.
    init?(_ data: [UInt8], format: PictureHeader.Format) {
        _ = Self.silence
        guard let size = Int32(exactly: data.count) else { return nil }
        // NB: the library only reads, though its functions do not say so.
        let image = data.withUnsafeBytes { bytes -> gdImagePtr? in
            let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return switch format {
            case .jpeg: gdImageCreateFromJpegPtr(size, start)
            case .png: gdImageCreateFromPngPtr(size, start)
            case .gif: gdImageCreateFromGifPtr(size, start)
            case .webp: gdImageCreateFromWebpPtr(size, start)
            }
        }
        guard let image else { return nil }
        self.image = image
    }

    /// A white picture; nil where there is no memory.
    convenience init?(width: Int, height: Int) {
        guard let width = Int32(exactly: width), let height = Int32(exactly: height),
            let image = gdImageCreateTrueColor(width, height)
        else { return nil }
        self.init(image)
        gdImageFilledRectangle(image, 0, 0, width - 1, height - 1, 0xFF_FFFF)
    }

    var width: Int { Int(image.pointee.sx) }
    var height: Int { Int(image.pointee.sy) }

    /// The picture in another size on white, which is what shows through it.
    func scaled(width: Int, height: Int) -> GDPicture? {
        guard let result = GDPicture(width: width, height: height) else { return nil }
        gdImageCopyResampled(
            result.image, image, 0, 0, 0, 0, Int32(width), Int32(height), image.pointee.sx, image.pointee.sy)
        return result
    }

    /// The picture as it is to be seen.
    func turned(_ orientation: Orientation) -> GDPicture? {
        guard orientation != .up else { return self }
        let (width, height) = orientation.swapsSides ? (height, width) : (width, height)
        guard let result = GDPicture(width: width, height: height) else { return nil }
        for y in 0..<height {
            for x in 0..<width {
                let source = orientation.source(ofX: x, y: y, in: (self.width, self.height))
                let color = gdImageGetTrueColorPixel(image, Int32(source.x), Int32(source.y))
                gdImageSetPixel(result.image, Int32(x), Int32(y), color)
            }
        }
        return result
    }

    /// The picture as a JPEG file; nil where the library cannot write it.
    func jpeg(quality: Int) -> [UInt8]? {
        var size: Int32 = 0
        guard let bytes = gdImageJpegPtr(image, &size, Int32(quality)) else { return nil }
        defer { gdFree(bytes) }
        guard size > 0 else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
    }
}
