import Foundation

/// Closed outlines, flattened into straight pieces. What winds around is inside.
struct Path: Sendable {
    var contours: [[Point]]

    static func polygon(_ points: [Point]) -> Path { Path(contours: [points]) }

    static func ellipse(_ centre: Point, _ width: Double, _ height: Double, angle: Double = 0) -> Path {
        let count = max(12, min(96, Int(max(width, height))))
        let (s, c) = (sin(angle), cos(angle))
        return polygon(
            (0..<count).map { step in
                let turn = 2 * Double.pi * Double(step) / Double(count)
                let (x, y) = (cos(turn) * width, sin(turn) * height)
                return centre + Point(x * c - y * s, x * s + y * c)
            })
    }

    static func circle(_ centre: Point, _ radius: Double) -> Path { ellipse(centre, radius, radius) }

    /// A circle with a hole.
    static func ring(_ centre: Point, _ radius: Double, width: Double) -> Path {
        var ring = circle(centre, radius)
        ring.contours += circle(centre, radius - width).contours.map { $0.reversed() }
        return ring
    }

    /// A rectangle with round corners around its centre.
    static func box(
        _ centre: Point, _ width: Double, _ height: Double, corner: Double = 0, angle: Double = 0
    ) -> Path {
        let corner = min(corner, width / 2, height / 2)
        let inner = Point(width / 2 - corner, height / 2 - corner)
        let signs = [Point(1, 1), Point(-1, 1), Point(-1, -1), Point(1, -1)]
        var points: [Point] = []
        for (quarter, sign) in signs.enumerated() {
            for step in 0...(corner > 0 ? 6 : 0) {
                let turn = (Double(quarter) + Double(step) / 6) * .pi / 2
                points.append(centre + inner * sign + Point(cos(turn), sin(turn)) * corner)
            }
        }
        return polygon(points).turned(angle, around: centre)
    }

    /// A line with a width and round ends through some points.
    static func stroke(_ points: [Point], width: Double) -> Path {
        guard points.count > 1 else { return polygon([]) }
        let half = width / 2
        var left: [Point] = []
        var right: [Point] = []
        for index in points.indices {
            let ahead = points[min(index + 1, points.count - 1)] - points[max(index - 1, 0)]
            let length = max(0.001, ahead.length)
            let side = Point(-ahead.y, ahead.x) / length * half
            left.append(points[index] + side)
            right.append(points[index] - side)
        }
        var path = polygon(left + right.reversed())
        for end in [points[0], points[points.count - 1]] {
            path.contours += circle(end, half).sameDirection(as: path).contours
        }
        return path
    }

    /// A piece of a circle's line.
    static func arc(_ centre: Point, _ radius: Double, _ from: Double, _ to: Double, width: Double) -> Path {
        let count = max(6, Int(abs(to - from) * radius / 6))
        return stroke(
            (0...count).map { centre.at(from + (to - from) * Double($0) / Double(count), radius) },
            width: width)
    }

    /// A slice of a disc.
    static func sector(_ centre: Point, _ radius: Double, _ from: Double, _ to: Double) -> Path {
        let count = max(4, Int(abs(to - from) * radius / 6))
        return polygon(
            [centre] + (0...count).map { centre.at(from + (to - from) * Double($0) / Double(count), radius) })
    }

    /// A leaf, or the shape of a boat: two arcs that meet in points.
    static func lens(_ centre: Point, length: Double, width: Double, angle: Double) -> Path {
        var points: [Point] = []
        for step in 0..<24 {
            let along = Double(step < 12 ? step : 24 - step) / 12
            let side = sin(along * .pi) * width / 2 * (step < 12 ? 1 : -1)
            points.append(centre + Point((along - 0.5) * length, side))
        }
        return polygon(points).turned(angle, around: centre)
    }

    /// A curve through some points.
    static func smooth(_ points: [Point]) -> [Point] {
        guard points.count > 2 else { return points }
        var curve: [Point] = []
        for index in 0..<points.count - 1 {
            let before = points[max(0, index - 1)]
            let (from, to) = (points[index], points[index + 1])
            let after = points[min(points.count - 1, index + 2)]
            let (start, end) = ((to - before) / 2, (after - from) / 2)
            for step in 0..<8 {
                let t = Double(step) / 8
                let (square, cube) = (t * t, t * t * t)
                let held = from * (2 * cube - 3 * square + 1) + to * (3 * square - 2 * cube)
                curve.append(held + start * (cube - 2 * square + t) + end * (cube - square))
            }
        }
        return curve + points.suffix(1)
    }

    func moved(_ by: Point) -> Path { Path(contours: contours.map { $0.map { $0 + by } }) }

    func turned(_ angle: Double, around centre: Point) -> Path {
        guard angle != 0 else { return self }
        let (s, c) = (sin(angle), cos(angle))
        return Path(
            contours: contours.map {
                $0.map { point in
                    let from = point - centre
                    return centre + Point(from.x * c - from.y * s, from.x * s + from.y * c)
                }
            })
    }

    /// Two outlines that overlap would cancel each other if one ran the other way.
    private func sameDirection(as other: Path) -> Path {
        guard let mine = contours.first, let theirs = other.contours.first,
            Self.area(mine) * Self.area(theirs) < 0
        else { return self }
        return Path(contours: contours.map { $0.reversed() })
    }

    private static func area(_ points: [Point]) -> Double {
        points.indices.reduce(0) { sum, index in
            let (here, next) = (points[index], points[(index + 1) % points.count])
            return sum + here.x * next.y - next.x * here.y
        }
    }
}
