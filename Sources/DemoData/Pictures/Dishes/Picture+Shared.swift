extension Picture {
    /// Small dishes to share.
    mutating func drawTapas() {
        let spots = [
            Point(166, 136), Point(322, 120), Point(480, 140), Point(158, 332), Point(318, 350),
            Point(482, 334),
        ]
        let first = random.below(6)
        for (index, spot) in spots.enumerated() {
            let at = spot + Point(between(-8, 8), between(-8, 8))
            switch (index + first) % 6 {
            case 0:
                bowl(at, 76, glaze(), of: Colour(0xE5DDC0))
                for place in places(13, around: at, 50, gap: 25) {
                    olive(place, 14, pick(.olive, Colour(0x55603A), Colour(0x43363F)))
                }
            case 1:
                plate(at, 84)
                for (turn, side) in [(0.4, -26.0), (0.1, 30)] {
                    slice(at + Point(side, side * 0.5), 60, turn)
                    tomatoSlice(at + Point(side, side * 0.5), 22)
                    leaf(at + Point(side + 10, side * 0.5), 24, turn, .herb)
                }
            case 2:
                bowl(at, 78, Colour(0xB5623B), of: Colour(0xD9652E))
                for angle in stride(from: 0.3, to: 6, by: 1.26) { prawn(at.at(angle, 32), 30, angle) }
                for place in places(8, around: at, 54, gap: 12) { fill(.circle(place, 3), .herb) }
            case 3:
                plate(at, 82)
                for wedge in 0..<5 {
                    let angle = Double(wedge) * 1.2566 + 0.4
                    let piece = Path.sector(at.at(angle, 14), 48, angle - 0.5, angle + 0.5)
                    fill(piece, Colour(0xD9A63A))
                    fill(piece.moved(Point(-2, -3)), Colour(0xF6DE8C))
                }
            case 4:
                bowl(at, 76, glaze(), of: pick(Colour(0xEBD9AE), Colour(0xF3EDDF), Colour(0xB8C98A)))
                fill(.arc(at, 34, 0.4, 5, width: 9), Colour(0xC9892B))
                for place in places(9, around: at, 46, gap: 15) {
                    fill(.circle(place, 4.5), pick(.herb, .chili, .pistachio))
                }
            default:
                plate(at, 84)
                for place in places(9, around: at, 48, gap: 32) {
                    fill(.circle(place, 20), Colour(0xA8322A))
                    fill(.circle(place, 17), Colour(0xC24A3C))
                    for fat in places(4, around: place, 11, gap: 7) {
                        fill(.circle(fat, 2.4), Colour(0xF1C9B4))
                    }
                }
            }
        }
    }

    mutating func drawTacos() {
        ovalPlate(250, 176)
        for index in 0..<3 {
            let at = centre + Point(Double(index - 1) * 132, index == 1 ? 0 : 10)
            let tilt = Double(index - 1) * 0.16
            let back = Path.ellipse(at + Point(6, -4), 54, 124, angle: tilt)
            shadow(back, 8)
            fill(back, Colour(0xC98F37))
            for place in places(18, around: at, 62, gap: 14) {
                let place = at + Point((place.x - at.x) * 0.5 - 4, (place.y - at.y) * 1.6)
                leaf(place, 44, turn(), pick(.lettuce, .leaf, Colour(0xB9D67A)))
            }
            for place in places(16, around: at, 60, gap: 12) {
                let place = at + Point((place.x - at.x) * 0.36 - 8, (place.y - at.y) * 1.55)
                fill(blob(place, 13, 10, uneven: 0.2), pick(.meat, .meat, .tomato, .lemon, .onion, .white))
            }
            let front = Path.ellipse(at + Point(-24, 0), 40, 126, angle: tilt)
            shadow(front, 4)
            fill(front, Colour(0xD9A044))
            fill(.ellipse(at + Point(-28, -2), 33, 118, angle: tilt), Colour(0xF0C468))
            for place in places(7, around: at + Point(-28, 0), 30, gap: 18) {
                fill(.circle(Point(place.x, at.y + (place.y - at.y) * 3), 5), Colour(0xCF9138), opacity: 0.7)
            }
        }
        citrus(Point(560, 84), 42, Colour(0x9CC84B))
        bowl(Point(78, 84), 48, .porcelain, of: pick(.chili, Colour(0x8FB24A)))
    }

    mutating func drawPaella() {
        let iron = Colour(0x3A3B40)
        let enamel = pick(iron, .chili)
        for side in [-1.0, 1] {
            let grip = Path.arc(
                centre + Point(side * 200, 0), 40, side > 0 ? -1.4 : 1.74, side > 0 ? 1.4 : 4.54, width: 16)
            shadow(grip, 8)
            fill(grip, enamel)
        }
        shadow(.circle(centre, 204), 15)
        fill(.circle(centre, 204), iron)
        fill(.circle(centre, 190), iron.lighter(0.15))
        fill(.circle(centre, 182), Colour(0xE2A32E))
        for place in places(190, around: centre, 176, gap: 15) {
            fill(
                .ellipse(place, 7, 3, angle: turn()),
                pick(Colour(0xF3C659), Colour(0xCB8A22), Colour(0xF8D983)))
        }
        for place in places(26, around: centre, 164, gap: 24) {
            fill(.circle(place, 7), pick(.leaf, .lettuce))
        }
        for place in places(12, around: centre, 156, gap: 40) {
            fill(.box(place, 44, 10, corner: 5, angle: turn()), .chili)
        }
        let start = turn()
        for index in 0..<6 {
            let angle = start + Double(index) * 1.0472
            if index.isMultiple(of: 2) {
                prawn(centre.at(angle, 98), 56, angle + 2)
            } else {
                mussel(centre.at(angle, 112), angle)
            }
            mussel(centre.at(angle + 0.5, 46), angle + 1.2)
        }
        for angle in [start + 0.52, start + 2.6, start + 4.7] {
            let wedge = Path.sector(centre.at(angle, 132), 40, angle - 1.1, angle + 1.1)
            fill(wedge, .lemon)
            fill(.sector(centre.at(angle, 132), 32, angle - 1, angle + 1), Colour.lemon.lighter(0.6))
        }
    }

    private mutating func mussel(_ at: Point, _ angle: Double) {
        fill(.lens(at, length: 66, width: 40, angle: angle), Colour(0x2C2F3E))
        fill(.lens(at, length: 54, width: 28, angle: angle), Colour(0x8B93A8))
        fill(.ellipse(at, 16, 9, angle: angle), Colour(0xF2A55C))
    }
}
