import Foundation

/// A dish on a table, seen from above.
struct Picture {
    var canvas: Canvas
    var random: SplitMix64
    let theme: Theme
    /// Where the middle of everything is.
    let centre = Point(320, 240)

    /// Draws a dish as its number has it.
    init(_ dish: Dish, random: SplitMix64) {
        var random = random
        theme = Theme.all[random.below(Theme.all.count)]
        canvas = Canvas(theme.table)
        self.random = random
        layTable()
        draw(dish)
    }

    mutating func fill(_ path: Path, _ colour: Colour, opacity: Double = 1) {
        canvas.fill(path, colour, opacity: opacity)
    }

    /// What something throws on the table.
    mutating func shadow(_ path: Path, _ distance: Double = 10) {
        fill(path.moved(Point(distance * 0.6, distance)), .ink, opacity: 0.22)
    }

    mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * random.unit() }

    mutating func turn() -> Double { between(0, 2 * .pi) }

    mutating func chance(_ share: Double) -> Bool { random.unit() < share }

    mutating func pick(_ colours: Colour...) -> Colour { colours[random.below(colours.count)] }

    /// Places for so many things inside a circle, no two nearer than the gap where that is possible.
    mutating func places(_ count: Int, around centre: Point, _ radius: Double, gap: Double) -> [Point] {
        var places: [Point] = []
        for _ in 0..<count * 12 where places.count < count {
            let place = centre.at(turn(), random.unit().squareRoot() * radius)
            let isFree = places.allSatisfy { ($0 - place).length >= gap }
            if isFree { places.append(place) }
        }
        return places
    }

    /// A round shape with an uneven edge.
    mutating func blob(_ centre: Point, _ width: Double, _ height: Double, uneven: Double = 0.08) -> Path {
        let (two, three, five) = (turn(), turn(), turn())
        return .polygon(
            (0..<48).map { step in
                let angle = 2 * Double.pi * Double(step) / 48
                let wave = sin(angle * 2 + two) + sin(angle * 3 + three) + sin(angle * 5 + five) * 0.4
                let size = 1 + uneven * wave
                return centre + Point(cos(angle) * width, sin(angle) * height) * size
            })
    }
}
