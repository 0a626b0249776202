extension Picture {
    mutating func drawHotpot() {
        let steel = Colour.steel
        let tilt = turn()
        shadow(.circle(centre, 186), 15)
        for side in [0.0, .pi] {
            let grip = Path.arc(centre.at(side, 182), 36, side - 1.4, side + 1.4, width: 15)
            shadow(grip, 7)
            fill(grip, steel.darker(0.3))
        }
        fill(.circle(centre, 186), steel.darker(0.15))
        fill(.circle(centre, 176), steel.lighter(0.3))
        let (red, pale) = (Colour(0xC53A22), Colour(0xF0DDB0))
        fill(.circle(centre, 166), pale)
        fill(.sector(centre, 166, tilt, tilt + .pi), red)
        fill(.circle(centre.at(tilt, 83), 83), red)
        fill(.circle(centre.at(tilt + .pi, 83), 83), pale)
        fill(.arc(centre.at(tilt, 83), 83, tilt + .pi, tilt + 2 * .pi, width: 10), steel)
        fill(.arc(centre.at(tilt + .pi, 83), 83, tilt, tilt + .pi, width: 10), steel)
        let (hot, mild) = (centre.at(tilt + 0.9, 86), centre.at(tilt + 0.9 + .pi, 86))
        for place in places(16, around: hot, 66, gap: 22) {
            fill(
                .lens(place, length: 30, width: 11, angle: turn()),
                pick(Colour(0x8E1F16), Colour(0xE8573A), Colour(0xF0913B)))
        }
        for place in places(12, around: hot, 62, gap: 20) {
            fill(.circle(place, between(3, 6)), Colour(0xE98A3C))
        }
        for place in places(6, around: mild, 62, gap: 38) { mushroom(place) }
        for place in places(8, around: mild, 66, gap: 24) { leaf(place, 40, turn(), pick(.leaf, .lettuce)) }
        for place in places(9, around: mild, 62, gap: 20) {
            fill(.circle(place, between(4, 7)), Colour.white, opacity: 0.7)
        }
        sides()
    }

    private mutating func mushroom(_ at: Point) {
        fill(.circle(at, 20), Colour(0x9B6A43))
        let start = turn()
        for cut in 0..<3 { fill(.box(at, 28, 5, corner: 2, angle: start + Double(cut) * 1.047), .crumb) }
    }

    /// What is to be dipped.
    private mutating func sides() {
        for (index, at) in [Point(80, 84), Point(80, 398), Point(562, 84), Point(562, 398)].enumerated() {
            plate(at, 64)
            switch index {
            case 0:
                for roll in places(6, around: at, 36, gap: 22) {
                    fill(.ellipse(roll, 19, 12, angle: turn()), Colour(0xC94F52))
                    fill(.ellipse(roll, 11, 5, angle: turn()), Colour(0xF5D2C8))
                }
            case 1:
                for place in places(6, around: at, 32, gap: 16) {
                    leaf(place, 58, turn(), pick(.leaf, .lettuce, .herb))
                }
            case 2:
                for place in places(5, around: at, 34, gap: 28) {
                    fill(.box(place, 28, 28, corner: 4, angle: turn()), Colour(0xFBF0D5))
                }
            default: for place in places(6, around: at, 34, gap: 22) { mushroom(place) }
            }
        }
    }

    mutating func drawBibimbap() {
        let at = centre + Point(-20, 0)
        bowl(at, 194, pick(Colour(0x2E2D31), glaze()), of: .rice)
        let toppings: [(Colour, Colour)] = [
            (.carrot, Colour(0xD9701F)), (.leaf, .herb), (Colour(0xEFE3C2), Colour(0xCDBB8A)),
            (.meat, Colour(0x6A3524)),
            (Colour(0x8D6A4E), Colour(0x6B4C36)), (Colour(0xC9DC8F), Colour(0x8FB24A)),
            (Colour(0xB23A55), Colour(0x8A2A41)),
        ]
        let start = turn()
        let step = 2 * Double.pi / 6
        let skip = random.below(toppings.count)
        for (index, topping) in toppings.enumerated() where index != skip {
            let slot = index < skip ? index : index - 1
            let from = start + Double(slot) * step
            fill(.sector(at.at(from + step / 2, 8), 152, from + 0.05, from + step - 0.05), topping.1)
            for strand in 0..<15 {
                let angle = from + 0.16 + Double(strand % 5) * 0.18
                let place = at.at(angle, 72 + Double(strand / 5) * 30 + between(-8, 8))
                fill(
                    .box(place, 44, 8, corner: 4, angle: angle + between(-0.7, 0.7)),
                    strand.isMultiple(of: 2) ? topping.0 : topping.0.lighter(0.2))
            }
        }
        friedEgg(at, 72)
        for place in places(18, around: at, 140, gap: 16) {
            fill(.lens(place, length: 9, width: 5, angle: turn()), .cream)
        }
        bowl(Point(566, 90), 50, .porcelain, of: .chili)
        spoon(Point(560, 300), angle: 0.05)
    }

    mutating func drawRolls() {
        let at = Point(212, 240)
        bowl(at, 152, pick(Colour(0x2E2D31), .porcelain), of: Colour(0xD23B22))
        for place in places(13, around: at, 96, gap: 38) {
            let angle = turn()
            let cake = Path.box(place, 74, 27, corner: 13, angle: angle)
            shadow(cake, 3)
            fill(cake, Colour(0xF3B79A))
            fill(.box(place + Point(-1, -4), 60, 8, corner: 4, angle: angle), .cream)
        }
        halfEgg(at + Point(36, -34), 36, 0.6)
        scallions(14, around: at, 100)
        let tray = Path.box(Point(486, 240), 210, 360, corner: 30)
        shadow(tray, 11)
        fill(tray, theme.crockery)
        fill(.box(Point(486, 240), 184, 334, corner: 22), theme.crockery.darker(0.07))
        for index in 0..<8 { maki(Point(446 + Double(index % 2) * 82, 122 + Double(index / 2) * 79), 38) }
    }
}
