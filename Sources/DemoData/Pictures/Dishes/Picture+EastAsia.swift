extension Picture {
    mutating func drawNoodles() {
        let broth = pick(Colour(0xE3A64F), Colour(0xB5673A), Colour(0xEBCB93), Colour(0xC4502D))
        let at = centre + Point(-24, 0)
        let glaze = glaze()
        bowl(at, 196, glaze, of: broth)
        for strand in 0..<26 {
            let from = turn()
            let middle = at.at(turn(), between(10, 64))
            let radius = between(44, 104)
            fill(
                .arc(middle, radius * 0.8, from, from + between(1, 2), width: 9),
                strand.isMultiple(of: 3) ? Colour(0xE9C777) : Colour(0xF7E2A4))
            fill(.arc(middle, radius * 0.8 + 3, from, from + 0.9, width: 2), Colour(0xCFA350))
        }
        let start = turn()
        for index in 0..<3 {
            let place = at.at(start + Double(index) * 0.52, 108)
            let pork = blob(place, 50, 42, uneven: 0.06)
            shadow(pork, 3)
            fill(pork, Colour(0x9C5A3C))
            fill(blob(place, 42, 34, uneven: 0.06), Colour(0xD99A76))
            fill(.arc(place, 20, 0.4, 4.5, width: 7), Colour(0xF4D9C2))
        }
        halfEgg(at.at(start + 2.3, 92), 42, start + 2.3)
        halfEgg(at.at(start + 2.95, 104), 40, start + 3.4)
        let green = at.at(start + 4.1, 108)
        if chance(0.5) {
            for sheet in 0..<3 {
                fill(
                    .box(
                        at.at(start + 4 + Double(sheet) * 0.16, 128), 96, 62, corner: 4,
                        angle: start + 4 + Double(sheet) * 0.16),
                    sheet == 1 ? Colour.nori.lighter(0.12) : .nori)
            }
        } else {
            for _ in 0..<5 { leaf(green.at(turn(), between(0, 30)), 78, turn(), pick(.leaf, .herb)) }
        }
        let swirl = at.at(start + 5.2, 104)
        if chance(0.6) {
            fill(.circle(swirl, 34), .white)
            fill(
                .stroke((0...22).map { swirl.at(Double($0) * 0.45, 2 + Double($0)) }, width: 5),
                Colour(0xEA7C93))
        } else {
            citrus(swirl, 34, Colour(0x9CC84B))
        }
        scallions(22, around: at, 120)
        for place in places(7, around: at, 126, gap: 40) { fill(.ring(place, 7, width: 4), .chili) }
        chopsticks()
    }

    mutating func drawSushi() {
        let slate = chance(0.5)
        board(520, 330, angle: 0, slate ? Colour(0x3F4449) : .wood)
        for index in 0..<4 { nigiri(Point(152 + Double(index) * 92, 176), index) }
        for index in 0..<6 { maki(Point(150 + Double(index % 3) * 82, 292 + Double(index / 3) * 70), 34) }
        for petal in 0..<7 {
            fill(
                .lens(
                    Point(430, 320).at(Double(petal) * 0.9, 17), length: 46, width: 26,
                    angle: Double(petal) * 0.9 + 0.6), pick(Colour(0xF3C0B4), Colour(0xF8D5CB)))
        }
        fill(blob(Point(508, 340), 26, 22), Colour(0xA9C95A))
        bowl(Point(520, 232), 52, .porcelain, of: Colour(0x3A2420))
        if chance(0.5) { leaf(Point(486, 140), 70, -0.6, .leaf) }
    }

    private mutating func nigiri(_ at: Point, _ index: Int) {
        shadow(.box(at, 70, 122, corner: 28), 6)
        fill(.box(at, 68, 120, corner: 28), Colour.rice.darker(0.08))
        let colour =
            index % 4 == 3 ? Colour(0xF5CE55) : pick(.salmon, Colour(0xC8374A), .prawn, Colour(0xF6E1D6))
        fill(.box(at + Point(-2, -4), 62, 126, corner: 24), colour.darker(0.08))
        fill(.box(at + Point(-4, -7), 58, 120, corner: 22), colour)
        for line in -2...2 {
            fill(.arc(at + Point(-4, Double(line) * 24 + 14), 30, 3.9, 5.5, width: 4), colour.lighter(0.4))
        }
        if index % 4 == 3 { fill(.box(at, 70, 22), .nori) }
    }

    mutating func maki(_ at: Point, _ radius: Double) {
        shadow(.circle(at, radius), 5)
        fill(.circle(at, radius), .nori)
        fill(.circle(at, radius * 0.86), .rice)
        for place in places(10, around: at, radius * 0.74, gap: 8) {
            fill(.ellipse(place, 4, 2, angle: turn()), Colour.rice.darker(0.14))
        }
        let start = turn()
        for (index, colour) in [Colour.salmon, .leaf, .lemon].enumerated() {
            fill(.circle(at.at(start + Double(index) * 2.094, radius * 0.22), radius * 0.24), colour)
        }
    }

    mutating func drawDimSum() {
        let bamboo = Colour(0xDDB272)
        let at = centre + Point(-30, 0)
        shadow(.circle(at, 200), 15)
        fill(.circle(at, 200), bamboo.darker(0.25))
        fill(.circle(at, 192), bamboo)
        fill(.ring(at, 180, width: 4), bamboo.darker(0.3))
        fill(.circle(at, 168), bamboo.darker(0.3))
        fill(.circle(at, 164), Colour(0xF1E2BF))
        for slat in -5...5 {
            fill(
                .box(
                    at + Point(Double(slat) * 28, 0), 3,
                    2 * (164 * 164 - Double(slat * slat) * 784).squareRoot()), bamboo)
        }
        let start = turn()
        for index in 0..<7 {
            let place = index == 0 ? at : at.at(start + Double(index) * 1.0472, 106)
            dumpling(place, index)
        }
        bowl(Point(566, 130), 54, .porcelain, of: Colour(0x4A2A20))
        for place in places(5, around: Point(566, 130), 30, gap: 14) {
            fill(.ring(place, 7, width: 4), .chili)
        }
        chopstickPair(Point(562, 330))
    }

    private mutating func chopstickPair(_ at: Point) {
        for side in [-1.0, 1] {
            let stick = Path.box(at + Point(side * 12, 0), 10, 240, corner: 5, angle: side * 0.04)
            shadow(stick, 6)
            fill(stick, Colour(0x7A3B2E))
        }
    }

    private mutating func dumpling(_ at: Point, _ index: Int) {
        let dough =
            index.isMultiple(of: 3) ? Colour(0xF7E9B9) : index % 3 == 1 ? Colour(0xFBF6EA) : Colour(0xDDE9C4)
        shadow(.circle(at, 48), 6)
        fill(.circle(at, 48), dough.darker(0.12))
        fill(.circle(at + Point(-2, -3), 44), dough)
        let start = turn()
        for pleat in 0..<10 {
            let angle = start + Double(pleat) * 0.6283
            fill(.stroke([at.at(angle + 0.3, 12), at.at(angle, 38)], width: 3), dough.darker(0.2))
        }
        fill(.circle(at, 12), index % 3 == 0 ? .carrot : index % 3 == 1 ? dough.darker(0.25) : .herb)
    }
}
