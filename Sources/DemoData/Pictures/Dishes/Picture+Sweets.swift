extension Picture {
    mutating func drawCake() {
        let stand = Path.circle(centre, 200)
        shadow(stand, 15)
        fill(stand, theme.crockery)
        fill(.ring(centre, 192, width: 5), theme.crockery.darker(0.14))
        let (icing, layer, berry) = cakeColours()
        let cut = between(0.2, 0.9)
        let cake = Path.sector(centre, 158, cut, cut + 5.35)
        shadow(cake, 10)
        fill(cake, layer)
        fill(.sector(centre + Point(-2, -6), 152, cut + 0.03, cut + 5.32), icing)
        for index in 0..<9 {
            let angle = cut + 0.3 + Double(index) * 0.6
            let place = centre.at(angle, 122) + Point(-2, -6)
            fill(.circle(place, 23), icing.mixed(with: .white, 0.55))
            fill(.circle(place, 14), berry)
            fill(.circle(place + Point(-4, -5), 4), .white, opacity: 0.7)
        }
        for index in 0..<18 {
            let angle = cut + 0.15 + Double(index) * 0.3
            fill(.circle(centre.at(angle, 60) + Point(-2, -6), 7), icing.darker(0.1))
        }
        let piece = centre.at(cut - 0.46, 52)
        let slice = Path.sector(piece, 150, cut - 0.86, cut - 0.06)
        shadow(slice, 9)
        fill(slice, layer)
        fill(.sector(piece + Point(-3, -7), 145, cut - 0.84, cut - 0.09), icing)
        let top = piece.at(cut - 0.46, 112) + Point(-3, -7)
        fill(.circle(top, 23), icing.mixed(with: .white, 0.55))
        fill(.circle(top, 14), berry)
        fork(Point(70, 250), angle: 0.08)
    }

    private mutating func cakeColours() -> (Colour, Colour, Colour) {
        switch random.below(4) {
        case 0: (Colour(0x6A3B28), Colour(0x47261B), Colour(0xC22F45))
        case 1: (Colour(0xF7DDE0), Colour(0xE8B36C), Colour(0xC22F45))
        case 2: (Colour(0xFFF6E3), Colour(0xD9A45B), .blueberry)
        default: (Colour(0xDCE7B6), Colour(0xA9B66C), Colour(0x7B3F2A))
        }
    }

    mutating func drawSweets() {
        let brass = Colour(0xD9A441)
        shadow(.circle(centre, 200), 15)
        fill(.circle(centre, 200), brass)
        fill(.circle(centre, 184), brass.lighter(0.32))
        fill(.ring(centre, 176, width: 4), brass)
        let start = turn()
        for index in 0..<7 {
            let at = index == 0 ? centre : centre.at(start + Double(index) * 1.0472, 118)
            switch (index + random.below(2)) % 4 {
            case 0: spiral(at)
            case 1: laddu(at, Colour(0xEF9F35))
            case 2: diamond(at)
            default: laddu(at, Colour(0x9C4B26))
            }
        }
        for petal in places(16, around: Point(90, 90), 90, gap: 24)
            + places(12, around: Point(566, 400), 80, gap: 24)
        {
            fill(
                .lens(petal, length: 26, width: 14, angle: turn()),
                pick(Colour(0xF2792B), Colour(0xF7B733), Colour(0xD9415E)))
        }
    }

    private mutating func laddu(_ at: Point, _ colour: Colour) {
        shadow(.circle(at, 40), 6)
        fill(.circle(at, 40), colour.darker(0.12))
        fill(.circle(at + Point(-3, -4), 35), colour)
        for grain in places(14, around: at, 30, gap: 12) { fill(.circle(grain, 4), colour.lighter(0.25)) }
        for nut in places(3, around: at, 12, gap: 10) {
            fill(.lens(nut, length: 15, width: 7, angle: turn()), .pistachio)
        }
    }

    private mutating func diamond(_ at: Point) {
        let colour = pick(.pistachio, .crumb, Colour(0xEBA7B0))
        let diamond = Path.polygon([
            at + Point(-50, 0), at + Point(0, -36), at + Point(50, 0), at + Point(0, 36),
        ])
        shadow(diamond, 6)
        fill(diamond, colour.darker(0.12))
        fill(diamond.moved(Point(-2, -5)), colour)
        fill(
            .polygon([at + Point(-24, -5), at + Point(0, -22), at + Point(22, -5), at + Point(0, 11)]),
            Colour.steel.lighter(0.6))
        fill(.circle(at + Point(-1, -5), 6), .herb)
    }

    private mutating func spiral(_ at: Point) {
        let start = turn()
        let line = (0...44).map { at.at(start + Double($0) * 0.4, 6 + Double($0) * 0.78) }
        shadow(.stroke(line, width: 12), 5)
        fill(.stroke(line, width: 12), Colour(0xE0701C))
        fill(.stroke(line.map { $0 + Point(-1, -2) }, width: 5), Colour(0xF8A544))
    }

    mutating func drawCrepe() {
        plate(centre, 190)
        for (offset, tilt) in [(Point(-46, -26), -0.5), (Point(40, 24), 0.15)] {
            let tip = centre + offset + Point(-74, 92)
            let crepe = Path.sector(tip, 212, tilt - 1.25, tilt - 0.15)
            shadow(crepe, 8)
            fill(crepe, Colour(0xD9993F))
            fill(.sector(tip, 204, tilt - 1.22, tilt - 0.18), Colour(0xEFC272))
            for spot in 0..<9 {
                let angle = tilt - 1.12 + between(0, 0.85)
                fill(
                    blob(tip.at(angle, between(70, 188)), 12, 8, uneven: 0.2), Colour(0xC9853A),
                    opacity: spot.isMultiple(of: 2) ? 0.5 : 0.25)
            }
            fill(.stroke([tip.at(tilt - 0.7, 60), tip.at(tilt - 0.7, 196)], width: 4), Colour(0xD9993F))
        }
        let cream = blob(centre + Point(88, 74), 44, 40, uneven: 0.1)
        shadow(cream, 5)
        fill(cream, .white)
        for berry in places(11, around: centre + Point(52, 50), 84, gap: 26) {
            fill(.circle(berry, 13), pick(.berry, .blueberry, .chili))
            fill(.circle(berry + Point(-4, -4), 3.5), .white, opacity: 0.6)
        }
        leaf(centre + Point(96, 62), 40, 0.6, .leaf)
        leaf(centre + Point(78, 80), 34, 2.3, .leaf)
        cutlery()
    }
}
