extension Picture {
    mutating func drawBread() {
        let angle = between(-0.12, 0.12)
        board(500, 340, angle: angle, pick(.wood, Colour(0x9A6A43), Colour(0xDDB785)))
        switch random.below(3) {
        case 0:
            loaf(centre + Point(-90, -10), 160, 104, -0.5)
            for (index, place) in [Point(440, 170), Point(474, 250), Point(430, 322)].enumerated() {
                slice(place, 78, Double(index) * 0.25 - 0.2)
            }
        case 1:
            for (index, y) in [150.0, 240, 330].enumerated() {
                baguette(Point(316, y), between(-0.08, 0.08) + angle, index == 1 ? 410 : 380)
            }
        default:
            for (index, place) in [Point(220, 180), Point(420, 190), Point(310, 320)].enumerated() {
                croissant(place, 88, Double(index) * 0.9 - 0.5)
            }
        }
        for place in places(14, around: centre + Point(150, 130), 110, gap: 14) {
            fill(.circle(place, between(2, 4)), .crumb)
        }
    }

    private mutating func loaf(_ at: Point, _ width: Double, _ height: Double, _ angle: Double) {
        let loaf = Path.ellipse(at, width, height, angle: angle)
        shadow(loaf, 14)
        fill(loaf, .crust)
        fill(.ellipse(at + Point(-8, -9), width * 0.88, height * 0.82, angle: angle), .bread)
        for score in -2...2 {
            let place = at + Point(Double(score) * width * 0.34, 0).turned(angle)
            fill(.lens(place, length: height * 1.15, width: 19, angle: angle + 1.2), .crumb)
        }
    }

    mutating func baguette(_ at: Point, _ angle: Double, _ length: Double) {
        let bread = Path.lens(at, length: length, width: 78, angle: angle)
        let body = Path.box(at, length * 0.86, 64, corner: 32, angle: angle)
        shadow(body, 10)
        fill(bread, .crust)
        fill(body, .crust)
        fill(.box(at + Point(-3, -6), length * 0.82, 48, corner: 24, angle: angle), .bread)
        for score in -2...2 {
            let place = at + Point(Double(score) * length * 0.155, -3).turned(angle)
            fill(.lens(place, length: 68, width: 15, angle: angle + 0.55), .crumb)
        }
    }

    mutating func croissant(_ at: Point, _ size: Double, _ angle: Double) {
        for pass in 0..<2 {
            for step in -4...4 {
                let bend = angle + 1.5708 + Double(step) * 0.36
                let width = size * (0.46 - abs(Double(step)) * 0.07)
                let place = at.at(angle - 1.5708, size * 0.4).at(bend, size * 0.78)
                let part = Path.ellipse(place, width, size * 0.27, angle: bend)
                if pass == 0 {
                    shadow(part, 9)
                } else {
                    fill(part, .crust)
                    fill(
                        .ellipse(place, width * 0.92, size * 0.2, angle: bend),
                        step.isMultiple(of: 2) ? .bread : Colour.bread.lighter(0.14))
                }
            }
        }
    }

    mutating func drawPretzel() {
        board(500, 380, pick(.wood, Colour(0x9A6A43)))
        let at = centre + Point(-50, 0)
        let half = [
            Point(76, 88), Point(26, 22), Point(-26, -40), Point(-84, -96), Point(-146, -48), Point(-122, 50),
            Point(0, 116),
        ]
        let loop = Path.smooth(half + half.dropLast().reversed().map { Point(-$0.x, $0.y) }).map { at + $0 }
        for pass in 0..<2 {
            let path = Path.stroke(loop, width: 42)
            if pass == 0 { shadow(path, 10) } else { fill(path, Colour(0x9B5527)) }
        }
        fill(.stroke(loop.map { $0 + Point(-3, -4) }, width: 26), Colour(0xB96C32))
        for step in stride(from: 24, to: loop.count - 24, by: 3) {
            let place = loop[step] + Point(between(-11, 11), between(-11, 11))
            fill(.box(place, 8, 6, corner: 1, angle: turn()), .white)
        }
        beer(Point(524, 176))
    }

    private mutating func beer(_ at: Point) {
        let grip = Path.arc(at + Point(0, 84), 34, -0.5, 3.64, width: 17)
        shadow(grip, 8)
        shadow(.circle(at, 90), 14)
        fill(grip, Colour.steel.lighter(0.3))
        fill(.circle(at, 90), Colour.steel.lighter(0.5))
        fill(.circle(at, 80), Colour(0xE9A72F))
        fill(.circle(at, 70), .cream)
        for place in places(16, around: at, 58, gap: 20) {
            fill(.circle(place, between(8, 16)), pick(.white, Colour(0xF4E4C2)))
        }
    }

    mutating func drawTarts() {
        plate(centre, 196)
        let start = turn()
        let flavour = random.below(3)
        for index in 0..<6 {
            let at = index == 0 ? centre : centre.at(start + Double(index) * 1.2566, 112)
            let crust = Path.circle(at, 50)
            shadow(crust, 6)
            fill(crust, .crust)
            for notch in 0..<14 { fill(.circle(at.at(Double(notch) * 0.4488, 48), 7), .bread) }
            switch flavour {
            case 0:
                fill(.circle(at, 39), .yolk)
                for spot in places(4, around: at, 26, gap: 16) {
                    fill(.circle(spot, between(5, 9)), Colour(0x8A4B22), opacity: 0.75)
                }
            case 1:
                fill(.circle(at, 39), .milk)
                for berry in places(7, around: at, 27, gap: 18) {
                    fill(.circle(berry, 11), pick(.berry, .blueberry, .tomato))
                    fill(.circle(berry + Point(-3, -3), 3), .white, opacity: 0.6)
                }
            default:
                fill(.circle(at, 39), pick(.lemon, Colour(0x7C3F28), .pistachio))
                fill(.circle(at, 14), .white)
                leaf(at, 24, turn(), .leaf)
            }
        }
    }
}
