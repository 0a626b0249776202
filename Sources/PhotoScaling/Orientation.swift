/// How a camera held the picture, by EXIF's numbers: where the stored first row and column belong.
enum Orientation: Int, CaseIterable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether the displayed picture is as wide as the stored one is high.
    var swapsSides: Bool { rawValue >= 5 }

    /// Reads the orientation from the TIFF structure that EXIF is; nil where it says none.
    init?(exif reader: ImageByteReader) {
        let order: ImageByteReader.Order
        switch (reader.has("II"), reader.has("MM")) {
        case (true, _): order = .little
        case (_, true): order = .big
        default: return nil
        }
        guard reader.number(at: 2, bytes: 2, order) == 42,
            let directory = reader.number(at: 4, bytes: 4, order),
            let count = reader.number(at: directory, bytes: 2, order)
        else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = reader.number(at: entry, bytes: 2, order) else { return nil }
            // The tag's kind is 'short', and its one value stands in the entry itself.
            guard tag == 0x0112, reader.number(at: entry + 2, bytes: 2, order) == 3 else { continue }
            guard let value = reader.number(at: entry + 8, bytes: 2, order) else { return nil }
            self.init(rawValue: value)
            return
        }
        return nil
    }

    /// The stored pixel that belongs at a displayed position.
    ///
    /// - Parameter size: the size of the stored picture.
    func source(ofX x: Int, y: Int, in size: (width: Int, height: Int)) -> (x: Int, y: Int) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return switch self {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }
}
