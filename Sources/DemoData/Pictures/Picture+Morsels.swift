extension Picture {
    /// A leaf with its vein.
    mutating func leaf(_ at: Point, _ length: Double, _ angle: Double, _ colour: Colour = .herb) {
        fill(.lens(at, length: length, width: length * 0.5, angle: angle), colour)
        fill(.box(at, length * 0.8, max(1.5, length * 0.04), angle: angle), colour.lighter(0.3))
    }

    mutating func sprig(_ at: Point, _ size: Double, _ angle: Double) {
        fill(.stroke([at, at.at(angle, size * 2)], width: 4), .herb)
        for step in 1...3 {
            let place = at.at(angle, Double(step) * size * 0.6)
            leaf(place.at(angle + 1, size * 0.35), size * 0.8, angle + 0.8)
            leaf(place.at(angle - 1, size * 0.35), size * 0.8, angle - 0.8, .leaf)
        }
    }

    /// A round slice of a citrus fruit.
    mutating func citrus(_ at: Point, _ radius: Double, _ colour: Colour = .lemon) {
        fill(.circle(at, radius), colour)
        fill(.circle(at, radius * 0.86), colour.lighter(0.75))
        let start = turn()
        for part in 0..<8 {
            let from = start + Double(part) * .pi / 4
            fill(
                .sector(at.at(from + 0.36, radius * 0.06), radius * 0.72, from + 0.06, from + 0.7),
                colour.lighter(0.15))
        }
    }

    mutating func tomatoSlice(_ at: Point, _ radius: Double) {
        fill(.circle(at, radius), .tomato)
        fill(.circle(at, radius * 0.82), Colour.tomato.lighter(0.25))
        let start = turn()
        for seed in 0..<5 {
            let angle = start + Double(seed) * 1.2566
            fill(.ellipse(at.at(angle, radius * 0.48), radius * 0.24, radius * 0.15, angle: angle), .tomato)
        }
    }

    mutating func cucumberSlice(_ at: Point, _ radius: Double) {
        fill(.circle(at, radius), .herb)
        fill(.circle(at, radius * 0.88), Colour(0xDCEBB4))
        fill(.circle(at, radius * 0.5), Colour(0xC7DF98))
    }

    /// A ring of spring onion.
    mutating func scallions(_ count: Int, around centre: Point, _ radius: Double) {
        for place in places(count, around: centre, radius, gap: 16) {
            fill(.ring(place, between(6, 9), width: 3.5), pick(.leaf, .lettuce, .herb))
        }
    }

    mutating func friedEgg(_ at: Point, _ radius: Double) {
        let white = blob(at, radius, radius * 0.94, uneven: 0.06)
        shadow(white, 4)
        fill(white, .eggWhite)
        fill(.circle(at + Point(radius * 0.06, 0), radius * 0.42), .yolk)
        fill(.arc(at, radius * 0.29, 3.5, 4.6, width: radius * 0.08), Colour.yolk.lighter(0.5))
    }

    mutating func halfEgg(_ at: Point, _ radius: Double, _ angle: Double) {
        fill(.ellipse(at, radius * 1.15, radius * 0.9, angle: angle), Colour.eggWhite.darker(0.12))
        fill(.ellipse(at, radius * 1.08, radius * 0.83, angle: angle), .eggWhite)
        fill(.circle(at.at(angle, radius * 0.12), radius * 0.48), Colour(0xF29B2B))
    }

    /// A prawn, curled.
    mutating func prawn(_ at: Point, _ size: Double, _ angle: Double) {
        let tail = at.at(angle + 3.9, size * 0.62)
        for side in [-0.5, 0.5] {
            fill(
                .lens(
                    tail.at(angle + 5.2 + side, size * 0.22), length: size * 0.5, width: size * 0.24,
                    angle: angle + 5.2 + side), .chili)
        }
        for step in 0..<9 {
            let along = angle + Double(step) * 0.44
            let thick = size * (0.34 - abs(Double(step) - 2.6) * 0.028)
            fill(
                .circle(at.at(along, size * 0.62), thick),
                step.isMultiple(of: 2) ? .prawn : Colour.prawn.lighter(0.25))
        }
    }

    mutating func olive(_ at: Point, _ radius: Double, _ colour: Colour = .olive) {
        fill(.circle(at, radius), colour)
        fill(.circle(at, radius * 0.36), .chili)
        fill(.arc(at, radius * 0.66, 3.4, 4.5, width: radius * 0.16), colour.lighter(0.4))
    }

    /// A mound of rice: grains on white.
    mutating func rice(_ at: Point, _ radius: Double, _ colour: Colour = .rice) {
        fill(blob(at, radius, radius, uneven: 0.04), colour)
        for place in places(Int(radius * 0.6), around: at, radius * 0.86, gap: 9) {
            fill(.ellipse(place, 6, 2.6, angle: turn()), colour.darker(0.13))
        }
    }

    /// A slice of bread with its crust.
    mutating func slice(_ at: Point, _ size: Double, _ angle: Double) {
        let crust = Path.box(at, size * 1.25, size, corner: size * 0.34, angle: angle)
        shadow(crust, 5)
        fill(crust, .crust)
        fill(.box(at, size * 1.1, size * 0.85, corner: size * 0.28, angle: angle), .crumb)
        for place in places(7, around: at, size * 0.34, gap: 10) {
            fill(.circle(place, 3), Colour.crumb.darker(0.12))
        }
    }
}
