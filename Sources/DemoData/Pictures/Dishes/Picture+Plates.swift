import Foundation

extension Picture {
    mutating func drawBreakfast() {
        plate(centre, 196)
        friedEgg(centre + Point(-62, -52), 74)
        friedEgg(centre + Point(48, -74), 66)
        if chance(0.5) {
            for (index, y) in [42.0, 82, 120].enumerated() {
                bacon(centre + Point(-40, y), Double(index) * 0.1 - 0.25)
            }
        } else {
            for (index, y) in [48.0, 96].enumerated() {
                let sausage = Path.box(
                    centre + Point(-48, y), 140, 38, corner: 19, angle: Double(index) * 0.14 - 0.2)
                shadow(sausage, 5)
                fill(sausage, .meat)
                fill(
                    .box(centre + Point(-52, y - 8), 96, 6, corner: 3, angle: Double(index) * 0.14 - 0.2),
                    Colour.meat.lighter(0.3))
            }
        }
        tomatoSlice(centre + Point(102, 4), 34)
        tomatoSlice(centre + Point(122, 62), 30)
        for place in places(4, around: centre + Point(62, 108), 34, gap: 26) {
            olive(place, 13, pick(.olive, Colour(0x3A3440)))
        }
        for place in places(3, around: centre + Point(20, 26), 30, gap: 22) { leaf(place, 36, turn(), .leaf) }
        slice(Point(556, 150), 84, 0.3)
        slice(Point(566, 236), 84, -0.1)
        fork(Point(70, 240))
    }

    private mutating func bacon(_ at: Point, _ angle: Double) {
        let line = (0...16).map { step in
            at + Point(Double(step) * 11 - 88, sin(Double(step) * 0.9) * 6).turned(angle)
        }
        shadow(.stroke(line, width: 32), 4)
        fill(.stroke(line, width: 32), Colour(0xA63A2B))
        fill(.stroke(line.map { $0 + Point(0, 4) }, width: 9), Colour(0xF0C2A0))
        fill(.stroke(line.map { $0 + Point(0, -11) }, width: 4), Colour(0xE29B7B))
    }

    mutating func drawSalad() {
        let glaze = glaze()
        bowl(centre, 190, glaze, of: Colour(0x6FA045))
        for place in places(40, around: centre, 138, gap: 24) {
            leaf(
                place, between(54, 92), turn(),
                pick(.leaf, .lettuce, Colour(0x86B548), .herb, Colour(0x8E3F5A)))
        }
        for place in places(7, around: centre, 118, gap: 64) {
            random.below(2) == 0 ? tomatoSlice(place, 29) : cucumberSlice(place, 30)
        }
        for place in places(8, around: centre, 128, gap: 40) { fill(.ring(place, 21, width: 5), .onion) }
        if chance(0.5) {
            for place in places(3, around: centre, 88, gap: 80) { halfEgg(place, 32, turn()) }
        } else {
            for place in places(9, around: centre, 124, gap: 32) {
                let angle = turn()
                fill(.box(place, 28, 26, corner: 3, angle: angle), Colour.white.darker(0.12))
                fill(.box(place + Point(-2, -3), 26, 23, corner: 3, angle: angle), .white)
            }
        }
        for place in places(6, around: centre, 130, gap: 40) { olive(place, 13, Colour(0x403745)) }
        fork(Point(72, 240))
    }

    mutating func drawBurger() {
        board(480, 330, pick(.wood, Colour(0x4A4A50), Colour(0x9A6A43)))
        let at = centre + Point(-76, 0)
        shadow(.circle(at, 124), 14)
        fill(blob(at, 128, 126, uneven: 0.05), .lettuce)
        fill(blob(at, 124, 121, uneven: 0.04), .leaf)
        fill(.box(at, 226, 226, corner: 26, angle: 0.6), .lemon)
        fill(.circle(at, 116), .meat)
        fill(.circle(at, 112), .crust)
        fill(.circle(at + Point(-6, -8), 102), .bread)
        fill(.circle(at + Point(-16, -22), 68), Colour.bread.lighter(0.16))
        for seed in places(34, around: at + Point(-8, -10), 84, gap: 16) {
            fill(.lens(seed, length: 14, width: 8, angle: turn()), .crumb)
        }
        fries(Point(466, 232), 16)
        bowl(Point(470, 352), 44, .porcelain, of: .chili)
    }

    mutating func fries(_ at: Point, _ count: Int) {
        for place in places(count, around: at, 66, gap: 14) {
            let angle = 1.5708 + between(-0.7, 0.7)
            shadow(.box(place, 104, 15, corner: 3, angle: angle), 3)
            fill(.box(place, 104, 15, corner: 3, angle: angle), Colour(0xE0A638))
            fill(.box(place + Point(-1, -2), 100, 9, corner: 3, angle: angle), Colour(0xF5CB5E))
        }
    }

    mutating func drawSteak() {
        plate(centre, 200)
        let at = centre + Point(-46, -14)
        let steak = blob(at, 116, 82, uneven: 0.1)
        shadow(steak, 9)
        fill(steak, Colour(0x5C2F22))
        fill(blob(at + Point(-4, -6), 104, 71, uneven: 0.08), .meat)
        for line in -2...2 {
            fill(
                .box(
                    at + Point(Double(line) * 38, -4), 9, 104 - abs(Double(line)) * 20, corner: 4, angle: 0.5),
                Colour(0x4A241A))
        }
        sprig(at + Point(-44, 26), 26, -0.5)
        fill(.box(at + Point(10, -8), 38, 30, corner: 5, angle: 0.3), .lemon)
        fill(.box(at + Point(8, -11), 34, 24, corner: 5, angle: 0.3), Colour.lemon.lighter(0.5))
        if chance(0.5) {
            fries(centre + Point(112, 6), 14)
        } else {
            for place in places(7, around: centre + Point(112, -6), 58, gap: 36) {
                fill(.ellipse(place, 24, 20, angle: turn()), Colour(0xD9A648))
                fill(.circle(place + Point(-4, -5), 12), Colour(0xEBC46E))
            }
        }
        for stalk in 0..<6 {
            let place = centre + Point(-60 + Double(stalk) * 22, 118 - Double(stalk) * 2)
            fill(.box(place, 92, 12, corner: 6, angle: -0.85), stalk.isMultiple(of: 2) ? .leaf : .herb)
        }
        tomatoSlice(centre + Point(92, 104), 30)
        cutlery()
    }
}
