import Foundation

/// A picture of at most 256 colours that is painted with flat, smooth-edged shapes.
///
/// Pixels hold the number of their colour. An edge needs the colours between two others; they join the palette
/// as they come up, and when it is full the nearest colour stands in.
struct Canvas: Sendable {
    static let width = 560
    static let height = 420
    /// Pixels for each unit in which shapes are described: those see a canvas of 640 by 480.
    private static let scale = 0.875
    private static let colours = 256
    /// What blends may use of it, so that no later shape misses its colour.
    private static let blendedColours = 176
    /// The squared distance under which a blend is taken for a colour that is there.
    private static let unseenDistance = 220

    private(set) var palette: [Colour] = []
    private(set) var pixels: [UInt8]
    private var numbers: [Colour: UInt8] = [:]

    init(_ background: Colour) {
        pixels = [UInt8](repeating: 0, count: Self.width * Self.height)
        _ = number(of: background)
    }

    /// The number of a colour; for a blend that of one which looks the same to the eye.
    private mutating func number(of colour: Colour, isBlend: Bool = false) -> UInt8 {
        if let number = numbers[colour] { return number }
        var nearest = 0
        var distance = Int.max
        if isBlend || palette.count == Self.colours {
            for (index, other) in palette.enumerated() {
                let apart = other.distance(to: colour)
                if apart < distance { (nearest, distance) = (index, apart) }
            }
        }
        let hasRoom = palette.count < (isBlend ? Self.blendedColours : Self.colours)
        var number = UInt8(truncatingIfNeeded: nearest)
        if hasRoom, distance > Self.unseenDistance {
            number = UInt8(truncatingIfNeeded: palette.count)
            palette.append(colour)
        }
        numbers[colour] = number
        return number
    }

    /// Paints the inside of a path, with an opacity from 0 to 1.
    mutating func fill(_ path: Path, _ colour: Colour, opacity: Double = 1) {
        var scan = Scan(path, scale: Self.scale, width: Self.width, height: Self.height)
        // Number of the colour beneath, and how much of the pixel is covered in quarters: the colour that results.
        var blends = [Int16](repeating: -1, count: Self.colours * (Scan.levels + 1))
        let solid = opacity == 1 ? number(of: colour) : nil
        while let run = scan.next() {
            let start = run.row * Self.width + run.from
            if run.level == Scan.levels, let solid {
                pixels.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    memset(base + start, Int32(solid), run.count)
                }
                continue
            }
            for index in start..<start + run.count {
                let under = pixels[index]
                let key = Int(under) * (Scan.levels + 1) + run.level
                if blends[key] < 0 {
                    let amount = Double(run.level) / Double(Scan.levels) * opacity
                    let blend = palette[Int(under)].mixed(with: colour, amount)
                    blends[key] = Int16(number(of: blend, isBlend: true))
                }
                pixels[index] = UInt8(truncatingIfNeeded: blends[key])
            }
        }
    }
}
