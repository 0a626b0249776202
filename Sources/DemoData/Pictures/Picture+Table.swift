extension Picture {
    /// The table's surface: planks, a cloth, stripes, checks, dots or nothing.
    mutating func layTable() {
        switch random.below(7) {
        case 0: planks()
        case 1: stripes(tilt: between(-0.9, 0.9))
        case 2: checks()
        case 3: dots()
        case 4: runner()
        case 5: corner()
        default: mat()
        }
    }

    private mutating func planks() {
        let seam = theme.table.darker(0.12)
        for plank in 0..<5 {
            let y = Double(plank) * 100 + 40
            fill(.box(Point(320, y), 660, 3), seam)
            let joint = between(60, 580)
            fill(.box(Point(joint, y + 50), 3, 100), seam)
            for _ in 0..<3 {
                let grain = Point(between(40, 600), y + between(18, 84))
                fill(.box(grain, between(50, 140), 3, corner: 2), theme.cloth)
            }
        }
    }

    private mutating func stripes(tilt: Double) {
        for stripe in -6...6 {
            fill(
                .box(centre + Point(Double(stripe) * 92, 0).turned(tilt), 46, 1_200, angle: tilt), theme.cloth
            )
        }
    }

    private mutating func checks() {
        for column in 0..<7 { fill(.box(Point(Double(column) * 106 + 2, 240), 53, 480), theme.cloth) }
        for row in 0..<5 {
            fill(.box(Point(320, Double(row) * 106 + 28), 640, 53), theme.cloth.lighter(0.16), opacity: 0.5)
        }
    }

    private mutating func dots() {
        for row in 0..<7 {
            for column in 0..<10 {
                let shift = row.isMultiple(of: 2) ? 0.0 : 36
                fill(
                    .circle(Point(Double(column) * 72 + shift, Double(row) * 78 + 6), 8),
                    theme.cloth.lighter(0.1))
            }
        }
    }

    private mutating func runner() {
        fill(.box(centre, 420, 500), theme.cloth)
        for side in [-1.0, 1] {
            fill(.box(centre + Point(side * 196, 0), 6, 500), theme.cloth.lighter(0.35))
        }
    }

    private mutating func corner() {
        let shift = between(-160, 160)
        fill(
            .polygon([Point(330 + shift, -10), Point(660, -10), Point(660, 490), Point(310 - shift, 490)]),
            theme.cloth)
    }

    private mutating func mat() {
        let mat = Path.box(centre, 540, 400, corner: 26)
        fill(mat, theme.cloth)
        for side in [-1.0, 1] {
            fill(.box(centre + Point(0, side * 184), 508, 4, corner: 2), theme.cloth.lighter(0.3))
        }
    }
}
