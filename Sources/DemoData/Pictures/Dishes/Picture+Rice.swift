extension Picture {
    mutating func drawRicePlate() {
        plate(centre, 200)
        rice(centre + Point(-62, -20), 88)
        let chop = centre + Point(70, -34)
        let meat = blob(chop, 92, 62, uneven: 0.1)
        shadow(meat, 7)
        fill(meat, Colour(0x6E3320))
        fill(blob(chop + Point(-3, -5), 82, 53, uneven: 0.08), Colour(0xA65A32))
        for line in -2...2 {
            fill(.box(chop + Point(Double(line) * 30, -4), 8, 74, corner: 4, angle: 0.5), Colour(0x5A2818))
        }
        friedEgg(centre + Point(-26, 78), 66)
        for index in 0..<4 {
            cucumberSlice(centre + Point(56 + Double(index) * 28, 70 + Double(index % 2) * 8), 29)
        }
        tomatoSlice(centre + Point(62, 118), 29)
        tomatoSlice(centre + Point(104, 108), 27)
        for place in places(18, around: centre + Point(-62, -30), 60, gap: 14) {
            fill(.circle(place, 3.4), pick(.herb, .leaf))
        }
        bowl(Point(566, 92), 50, glaze(), of: pick(Colour(0xB5642C), Colour(0x4A2A20)))
        for place in places(4, around: Point(566, 92), 26, gap: 14) {
            fill(.ring(place, 7, width: 4), .chili)
        }
        fork(Point(72, 244))
        spoon(Point(570, 320), angle: -0.04)
    }

    mutating func drawSandwich() {
        let paper = Path.box(centre, 530, 350, corner: 6, angle: -0.06)
        shadow(paper, 8)
        fill(paper, Colour(0xF2E6CF))
        for line in -4...4 {
            fill(.box(centre + Point(Double(line) * 58, 0), 8, 346, angle: -0.06), Colour(0xE3D2B2))
        }
        for (y, tilt) in [(156.0, -0.12), (322, 0.03)] {
            let at = Point(316, y)
            shadow(.box(at, 440, 122, corner: 56, angle: tilt), 10)
            fill(.box(at + Point(0, 22), 436, 84, corner: 42, angle: tilt), .crust)
            for index in 0..<13 {
                let place = at + Point(Double(index) * 31 - 188, 24).turned(tilt)
                leaf(place, 66, tilt + between(0.5, 2.6), pick(.lettuce, .leaf))
            }
            for index in 0..<10 {
                let place = at + Point(Double(index) * 40 - 180, 18).turned(tilt)
                switch index % 4 {
                case 0: fill(.box(place, 58, 34, corner: 10, angle: tilt), Colour(0xC9765A))
                case 1: cucumberSlice(place, 22)
                case 2: fill(.box(place, 60, 9, corner: 4, angle: tilt + 0.5), .carrot)
                default: tomatoSlice(place, 22)
                }
                fill(
                    .box(place + Point(8, 8), 44, 6, corner: 3, angle: tilt - 0.4),
                    pick(.carrot, .white, .chili))
            }
            fill(.box(at + Point(0, -20), 442, 76, corner: 38, angle: tilt), .crust)
            fill(.box(at + Point(-4, -27), 424, 56, corner: 28, angle: tilt), .bread)
            for score in -3...3 {
                fill(
                    .lens(
                        at + Point(Double(score) * 56, -26).turned(tilt), length: 62, width: 13,
                        angle: tilt + 0.5), .crumb)
            }
        }
    }

    mutating func drawCurry() {
        let metal = pick(Colour(0xC9CED3), Colour(0xD5A350))
        shadow(.circle(centre, 212), 15)
        fill(.circle(centre, 212), metal.darker(0.18))
        fill(.circle(centre, 204), metal.lighter(0.3))
        fill(.ring(centre, 198, width: 4), metal)
        let sauces = [
            Colour(0xD9772B), Colour(0xE9B93F), Colour(0x5F7F33), Colour(0xB2391F), Colour(0xF6F0E2),
        ]
        let first = random.below(sauces.count)
        for index in 0..<4 {
            let at = centre.at(3.5 + Double(index) * 0.82, 140)
            let sauce = sauces[(index + first) % sauces.count]
            bowl(at, 56, metal.darker(0.1), of: sauce)
            for place in places(4, around: at, 30, gap: 22) {
                fill(blob(place, 12, 10, uneven: 0.15), sauce.mixed(with: pick(.meat, .leaf, .lemon), 0.55))
            }
            for place in places(4, around: at, 34, gap: 14) { fill(.circle(place, 3), .herb) }
        }
        rice(centre + Point(-70, 68), 74)
        for place in places(6, around: centre + Point(-70, 68), 46, gap: 18) {
            fill(.lens(place, length: 14, width: 8, angle: turn()), pick(.leaf, .carrot, .lemon))
        }
        for (offset, tilt) in [(Point(86, 58), 0.3), (Point(64, 98), -0.25)] {
            let bread = blob(centre + offset, 84, 62, uneven: 0.08)
            shadow(bread, 5)
            fill(bread.turned(tilt, around: centre + offset), Colour(0xD9A55C))
            fill(
                blob(centre + offset + Point(-3, -4), 75, 54, uneven: 0.06).turned(
                    tilt, around: centre + offset), Colour(0xF0D097))
            for place in places(6, around: centre + offset, 48, gap: 24) {
                fill(blob(place, 11, 8, uneven: 0.2), Colour(0xA86B32), opacity: 0.7)
            }
        }
        citrus(centre + Point(0, 160), 24, Colour(0xB9CF4D))
        fill(.ring(centre + Point(-6, 6), 20, width: 6), .onion)
    }

    mutating func drawDosa() {
        let banana = Path.box(centre, 580, 370, corner: 120, angle: -0.04)
        shadow(banana, 10)
        fill(banana, Colour(0x5D9447))
        fill(.box(centre, 560, 350, corner: 112, angle: -0.04), Colour(0x74AB57))
        fill(.box(centre, 560, 8, angle: -0.04), Colour(0xA9CB7F))
        for rib in -8...8 {
            for side in [-1.0, 1] {
                fill(
                    .box(centre + Point(Double(rib) * 32, side * 84), 3, 168, angle: -0.04 + side * 0.16),
                    Colour(0x66A04B))
            }
        }
        let at = centre + Point(-10, 62)
        let dosa = Path.box(at, 430, 124, corner: 46, angle: -0.1)
        shadow(dosa, 9)
        fill(dosa, Colour(0xC0782D))
        fill(.box(at + Point(-3, -7), 420, 106, corner: 42, angle: -0.1), Colour(0xE3A550))
        for line in -5...5 {
            fill(.arc(at + Point(Double(line) * 36, 40), 84, 4.2, 5.1, width: 5), Colour(0xCB8A3B))
        }
        fill(.box(at + Point(6, 36), 380, 7, corner: 3, angle: -0.1), Colour(0xA9622A))
        let chutneys = [Colour(0xF2EFE2), Colour(0x8DB255), Colour(0xCB4A2A), Colour(0xC98A33)]
        for (index, x) in [150.0, 268, 386, 500].enumerated() {
            let place = Point(x, 134 - Double(index) * 3)
            bowl(place, 52, .steel, of: chutneys[(index + random.below(2)) % 4])
            for seed in places(6, around: place, 28, gap: 12) {
                fill(.circle(seed, 3), pick(.ink, .herb, .chili))
            }
        }
    }
}
