extension Picture {
    mutating func plate(_ centre: Point, _ radius: Double, _ colour: Colour? = nil) {
        let colour = colour ?? theme.crockery
        shadow(.circle(centre, radius), radius / 13)
        fill(.circle(centre, radius), colour)
        fill(.ring(centre, radius * 0.74, width: radius * 0.025), colour.darker(0.12))
        if chance(0.4) {
            fill(.ring(centre, radius * 0.95, width: radius * 0.03), theme.table.mixed(with: colour, 0.35))
        }
    }

    mutating func ovalPlate(_ width: Double, _ height: Double) {
        shadow(.ellipse(centre, width, height), 13)
        fill(.ellipse(centre, width, height), theme.crockery)
        fill(.ellipse(centre, width * 0.86, height * 0.8), theme.crockery.darker(0.06))
        fill(.ellipse(centre, width * 0.84, height * 0.78), theme.crockery.lighter(0.5))
    }

    /// A bowl, filled.
    mutating func bowl(_ centre: Point, _ radius: Double, _ colour: Colour, of filling: Colour) {
        shadow(.circle(centre, radius), radius / 11)
        fill(.circle(centre, radius), colour)
        fill(.circle(centre, radius * 0.92), colour.darker(0.22))
        fill(.circle(centre, radius * 0.87), filling)
        fill(.arc(centre, radius * 0.8, 3.4, 4.6, width: radius * 0.03), filling.lighter(0.25))
    }

    /// Colours of bowls and cups that go with every table.
    mutating func glaze() -> Colour {
        pick(
            theme.crockery, Colour(0x2F4858), Colour(0xF2E3C9), Colour(0xB5523B), Colour(0x5B7F78),
            Colour(0x3B3A45))
    }

    mutating func board(_ width: Double, _ height: Double, angle: Double = 0, _ colour: Colour = .wood) {
        let board = Path.box(centre, width, height, corner: 26, angle: angle)
        shadow(board, 12)
        fill(board, colour)
        for line in -2...2 {
            let place = centre + Point(0, Double(line) * height / 6).turned(angle)
            fill(.box(place, width * 0.86, 3, corner: 1.5, angle: angle), colour.darker(0.1))
        }
    }

    mutating func chopsticks() {
        let (x, colour) = (between(540, 566), pick(Colour(0x7A3B2E), Colour(0x2E2B2B), Colour(0xC08B54)))
        for (index, tilt) in [0.05, -0.03].enumerated() {
            let stick = Path.box(Point(x + Double(index) * 24, 240), 11, 350, corner: 5, angle: tilt)
            shadow(stick, 7)
            fill(stick, colour)
            fill(
                .box(Point(x + Double(index) * 24, 240).at(tilt + 1.5708, 150), 11, 46, angle: tilt),
                colour.lighter(0.35))
        }
    }

    mutating func cutlery() {
        fork(Point(82, 240))
        let knife = Point(558, 240)
        shadow(.box(knife, 18, 320, corner: 9), 6)
        fill(.box(knife + Point(0, 75), 18, 170, corner: 9), Colour.steel.darker(0.25))
        fill(
            .polygon([
                knife + Point(-9, 0), knife + Point(-9, -150), knife + Point(9, -120), knife + Point(9, 0),
            ]), .steel)
    }

    mutating func fork(_ at: Point, angle: Double = 0) {
        func part(_ offset: Point, _ width: Double, _ height: Double, _ corner: Double) -> Path {
            Path.box(at + offset, width, height, corner: corner).turned(angle, around: at)
        }
        shadow(part(Point(0, 40), 14, 240, 7), 6)
        fill(part(Point(0, 40), 14, 240, 7), .steel)
        fill(part(Point(0, -82), 46, 44, 20), .steel)
        for tine in -1...1 { fill(part(Point(Double(tine) * 18, -124), 8, 70, 4), .steel) }
    }

    mutating func spoon(_ at: Point, angle: Double) {
        let handle = Path.box(at + Point(0, 60), 11, 170, corner: 5).turned(angle, around: at)
        let bowl = Path.ellipse(at + Point(0, -40), 21, 32).turned(angle, around: at)
        shadow(handle, 5)
        shadow(bowl, 5)
        fill(handle, .steel)
        fill(bowl, .steel)
        fill(.ellipse(at + Point(0, -40), 14, 24).turned(angle, around: at), Colour.steel.darker(0.15))
    }

    mutating func napkin(_ at: Point, _ size: Double = 150) {
        let colour = theme.table.lighter(0.6)
        let napkin = Path.box(at, size, size, corner: 4, angle: between(-0.3, 0.3))
        shadow(napkin, 5)
        fill(napkin, colour)
    }
}
