extension Picture {
    /// A cup on its saucer; the angle is where the handle points.
    mutating func cup(_ at: Point, _ radius: Double, _ glaze: Colour, of drink: Colour, handle: Double) {
        plate(at, radius * 1.5)
        let grip = Path.box(
            at.at(handle, radius * 1.16), radius * 0.5, radius * 0.24, corner: radius * 0.1, angle: handle)
        shadow(grip, 6)
        fill(grip, glaze.darker(0.08))
        shadow(.circle(at, radius), radius / 9)
        fill(.circle(at, radius), glaze)
        fill(.circle(at, radius * 0.9), glaze.darker(0.2))
        fill(.circle(at, radius * 0.85), drink)
        fill(.arc(at, radius * 0.76, 3.3, 4.5, width: radius * 0.04), drink.lighter(0.3))
    }

    mutating func drawCoffee() {
        let at = centre + Point(between(-40, 20), between(-8, 8))
        let handle = between(-0.7, 0.5)
        let glaze = glaze()
        cup(at, 112, glaze, of: .coffee, handle: handle)
        switch random.below(4) {
        case 0: rosetta(at, handle + 1.5708)
        case 1: heart(at, handle + 1.5708)
        case 2:
            fill(blob(at, 74, 72, uneven: 0.03), .milk)
            for place in places(26, around: at, 64, gap: 7) {
                fill(.circle(place, 2.2), .coffee, opacity: 0.7)
            }
        default:
            fill(.ring(at, 94, width: 8), Colour.coffee.lighter(0.22))
            for place in places(9, around: at, 70, gap: 18) {
                fill(.circle(place, between(3, 7)), Colour.coffee.lighter(0.16))
            }
        }
        spoon(at + Point(-118, 92), angle: 0.9)
        if chance(0.6) { biscuits() } else { beans() }
    }

    private mutating func rosetta(_ at: Point, _ angle: Double) {
        for step in 0..<5 {
            let place = at.at(angle, Double(step) * 25 - 56)
            let size = 66 - abs(Double(step) - 2.4) * 11
            fill(.lens(place, length: size * 1.9, width: 30, angle: angle + 1.5708), .milk)
            fill(.lens(place.at(angle, 9), length: size * 1.5, width: 13, angle: angle + 1.5708), .coffee)
        }
        fill(.stroke([at.at(angle, -68), at.at(angle, 66)], width: 5), .milk)
    }

    private mutating func heart(_ at: Point, _ angle: Double) {
        fill(.circle(at.at(angle + 1.25, 30).at(angle, -18), 36), .milk)
        fill(.circle(at.at(angle - 1.25, 30).at(angle, -18), 36), .milk)
        fill(
            .polygon([
                at.at(angle + 1.5708, 58).at(angle, 4), at.at(angle, 70),
                at.at(angle - 1.5708, 58).at(angle, 4), at.at(angle, -30),
            ]), .milk)
    }

    private mutating func biscuits() {
        for place in [Point(552, 110), Point(572, 180)] {
            let cookie = Path.circle(place, 38)
            shadow(cookie, 6)
            fill(cookie, .bread)
            for chip in places(6, around: place, 28, gap: 13) { fill(.circle(chip, 5), .coffee) }
        }
    }

    private mutating func beans() {
        for place in places(9, around: Point(548, 120), 72, gap: 32) {
            let angle = turn()
            let bean = Path.ellipse(place, 17, 12, angle: angle)
            shadow(bean, 4)
            fill(bean, .coffee)
            fill(.box(place, 26, 3, corner: 1, angle: angle), Colour.coffee.darker(0.5))
        }
    }

    mutating func drawTea() {
        let amber = pick(Colour(0xC9722B), Colour(0xD89A3C), Colour(0xA9B24E), Colour(0xC98F63))
        let glaze = glaze()
        teapot(Point(224, 216), glaze, between(2.6, 3.4))
        let other = Point(470, 296)
        cup(other, 66, glaze, of: amber, handle: between(-0.6, 0.6))
        if chance(0.5) { citrus(other + Point(6, 8), 26) } else { leaf(other, 40, turn(), .leaf) }
        let small = Point(488, 106)
        plate(small, 68)
        if chance(0.5) {
            for place in places(5, around: small, 34, gap: 26) {
                let angle = turn()
                fill(.box(place, 26, 26, corner: 4, angle: angle), Colour.bread.darker(0.1))
                fill(.box(place, 21, 21, corner: 3, angle: angle), .bread)
            }
        } else {
            for place in places(4, around: small, 30, gap: 32) {
                fill(.circle(place, 18), pick(.pistachio, Colour(0xE9A9B4), .crumb))
                fill(.arc(place, 11, 3.4, 4.6, width: 4), .white, opacity: 0.6)
            }
        }
    }

    private mutating func teapot(_ at: Point, _ glaze: Colour, _ spout: Double) {
        let nose = Path.polygon([
            at.at(spout + 0.35, 110), at.at(spout + 0.1, 176), at.at(spout - 0.1, 176),
            at.at(spout - 0.35, 110),
        ])
        let grip = Path.arc(at.at(spout + .pi, 118), 50, spout + .pi - 1.5, spout + .pi + 1.5, width: 17)
        for part in [nose, grip, .circle(at, 126)] { shadow(part, 12) }
        fill(nose, glaze.darker(0.12))
        fill(grip, glaze.darker(0.12))
        fill(.circle(at, 126), glaze)
        fill(.ring(at, 84, width: 5), glaze.darker(0.2))
        fill(.circle(at, 79), glaze.lighter(0.12))
        fill(.circle(at + Point(4, 8), 22), glaze.darker(0.3))
        fill(.circle(at, 22), glaze.darker(0.14))
        fill(.arc(at, 106, 3.5, 4.5, width: 9), glaze.lighter(0.35))
    }
}
