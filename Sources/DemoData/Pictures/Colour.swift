/// A colour of a picture.
struct Colour: Hashable, Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// As the web writes it: `0xRRGGBB`.
    init(_ hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }

    /// The colour on the way to another one: 0 is this one, 1 the other.
    func mixed(with other: Colour, _ amount: Double) -> Colour {
        func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
            UInt8(max(0, min(255, (Double(from) + (Double(to) - Double(from)) * amount).rounded())))
        }
        return Colour(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    func lighter(_ amount: Double = 0.2) -> Colour { mixed(with: .white, amount) }
    func darker(_ amount: Double = 0.2) -> Colour { mixed(with: .ink, amount) }

    /// How far apart two colours are, squared.
    func distance(to other: Colour) -> Int {
        let red = Int(red) - Int(other.red)
        let green = Int(green) - Int(other.green)
        let blue = Int(blue) - Int(other.blue)
        return red * red + green * green + blue * blue
    }
}

extension Colour {
    static let white = Colour(0xFFFFFF)
    static let ink = Colour(0x2A2024)
    static let cream = Colour(0xFBF3E4)
    static let porcelain = Colour(0xF4F1EC)
    static let steel = Colour(0xC9CED3)
    static let wood = Colour(0xC58F5C)
    static let bread = Colour(0xD89A4E)
    static let crust = Colour(0xB06F33)
    static let crumb = Colour(0xF3D9A8)
    static let rice = Colour(0xFBF7EC)
    static let leaf = Colour(0x5E9B4B)
    static let herb = Colour(0x3F7A3E)
    static let lettuce = Colour(0x9CC65B)
    static let tomato = Colour(0xD9442F)
    static let chili = Colour(0xC62F22)
    static let carrot = Colour(0xEE8B3A)
    static let lemon = Colour(0xF5CF48)
    static let yolk = Colour(0xF6B32F)
    static let eggWhite = Colour(0xFFFCF3)
    static let meat = Colour(0x8C4A32)
    static let salmon = Colour(0xF38B69)
    static let prawn = Colour(0xF29272)
    static let nori = Colour(0x26352F)
    static let coffee = Colour(0x6B4029)
    static let milk = Colour(0xF0DCC0)
    static let olive = Colour(0x7C8B3A)
    static let onion = Colour(0xB56A9A)
    static let pistachio = Colour(0xA5BF62)
    static let berry = Colour(0xA2294B)
    static let blueberry = Colour(0x4A5590)
}
