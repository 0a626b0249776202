extension Picture {
    mutating func drawFish() {
        ovalPlate(262, 168)
        let angle = between(-0.16, 0.1)
        let skin = pick(Colour(0x7F99A8), Colour(0xC98B52), Colour(0xE28C78), Colour(0x6E8A8F))
        let at = centre + Point(-8, -6)
        func place(_ x: Double, _ y: Double) -> Point { at + Point(x, y).turned(angle) }
        for leafy in 0..<9 {
            leaf(
                place(-150 + Double(leafy) * 34, 78 - Double(leafy % 2) * 20), 74,
                angle + Double(leafy) * 0.7, pick(.leaf, .lettuce, .herb))
        }
        let tail = Path.polygon([place(130, 0), place(212, -66), place(190, 0), place(212, 62)])
        let body = Path.lens(place(-20, 0), length: 380, width: 158, angle: angle)
        shadow(tail, 9)
        shadow(body, 11)
        fill(tail, skin.darker(0.15))
        fill(.polygon([place(-60, -62), place(30, -108), place(70, -50)]), skin.darker(0.15))
        fill(body, skin)
        fill(.lens(place(-20, 26), length: 330, width: 78, angle: angle), skin.lighter(0.35))
        for row in 0..<6 {
            for column in -1...1 {
                let scale = place(-70 + Double(row) * 34, Double(column) * 28 + Double(row % 2) * 10 - 6)
                fill(.arc(scale, 13, angle - 1.1, angle + 1.1, width: 4), skin.darker(0.22))
            }
        }
        fill(.arc(place(-190, 0), 88, angle - 0.62, angle + 0.62, width: 5), skin.darker(0.3))
        fill(.circle(place(-150, -16), 14), .white)
        fill(.circle(place(-150, -16), 8), .ink)
        fill(.lens(place(-40, 20), length: 52, width: 24, angle: angle + 0.5), skin.darker(0.2))
        for index in 0..<3 { citrus(place(-40 + Double(index) * 56, 92), 31) }
        sprig(place(70, -96), 28, angle + 0.2)
        tomatoSlice(place(-118, 90), 24)
        if chance(0.5) { bowl(Point(566, 84), 46, .porcelain, of: Colour(0xF2E6B8)) }
    }

    mutating func drawPrawns() {
        let bowlLike = chance(0.5)
        if bowlLike { bowl(centre, 194, glaze(), of: Colour(0xE9E4D6)) } else { plate(centre, 200) }
        for place in places(18, around: centre, 140, gap: 34) {
            leaf(place, 78, turn(), pick(.lettuce, .leaf, Colour(0xB9D67A)))
        }
        let start = turn()
        let count = 6
        for index in 0..<count {
            let angle = start + Double(index) * 2 * .pi / Double(count)
            prawn(centre.at(angle, 116), 60, angle + 2.2)
        }
        bowl(
            centre, 52, theme.table.darker(0.1),
            of: pick(Colour(0xF0B9A0), Colour(0xD9502F), Colour(0xF6E3A8)))
        citrus(centre.at(start + 0.4, 164), 32)
        citrus(centre.at(start + 3.4, 162), 30)
        for place in places(20, around: centre, 150, gap: 20) { fill(.circle(place, 3.2), .herb) }
    }

    mutating func drawSkewers() {
        let angle = between(-0.35, 0.35)
        if chance(0.5) {
            board(520, 350, angle: angle * 0.3, pick(.wood, Colour(0x4A4A50)))
        } else {
            ovalPlate(280, 186)
        }
        for place in places(10, around: centre, 150, gap: 40) {
            leaf(place, 80, turn(), pick(.leaf, .lettuce))
        }
        let bread = blob(centre + Point(-20, 18), 176, 120, uneven: 0.05)
        shadow(bread, 6)
        fill(bread, .crumb)
        for place in places(12, around: centre + Point(-20, 18), 110, gap: 36) {
            fill(blob(place, 13, 10), Colour.crumb.darker(0.16))
        }
        for row in 0..<4 {
            let at = centre + Point(0, Double(row) * 68 - 104).turned(angle * 0.5)
            let stick = Path.box(at, 470, 7, corner: 3, angle: angle * 0.5)
            shadow(stick, 5)
            fill(stick, Colour(0xE0BE8C))
            for piece in 0..<6 {
                let spot = at + Point(Double(piece) * 60 - 168, 0).turned(angle * 0.5)
                let vegetable = (piece + row) % 3 == 2
                let colour =
                    vegetable
                    ? pick(.chili, .leaf, .onion, .lemon) : pick(.meat, Colour(0x9C5A35), Colour(0xA9683C))
                let shape = Path.box(
                    spot, vegetable ? 40 : 54, vegetable ? 42 : 50, corner: 14,
                    angle: angle + between(-0.15, 0.15))
                shadow(shape, 4)
                fill(shape, colour)
                fill(.box(spot + Point(-4, -12), 26, 6, corner: 3, angle: angle * 0.5), colour.lighter(0.3))
                if !vegetable {
                    fill(.box(spot + Point(4, 8), 30, 5, corner: 2, angle: angle + 0.8), Colour(0x4A241A))
                }
            }
        }
        for place in places(14, around: centre, 170, gap: 26) { fill(.circle(place, 3.2), .herb) }
        bowl(Point(572, 72), 48, .porcelain, of: pick(Colour(0xF3EDDF), Colour(0x5B2D1C), .chili))
    }
}
