import Foundation

/// A place on the canvas, or a way from one to another.
struct Point: Hashable, Sendable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    static let zero = Point(0, 0)

    static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
    static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
    static func * (a: Point, b: Point) -> Point { Point(a.x * b.x, a.y * b.y) }
    static func * (a: Point, factor: Double) -> Point { Point(a.x * factor, a.y * factor) }
    static func / (a: Point, divisor: Double) -> Point { Point(a.x / divisor, a.y / divisor) }

    var length: Double { (x * x + y * y).squareRoot() }

    /// The point at a distance in a direction; angles are in radians, clockwise as the eye sees them.
    func at(_ angle: Double, _ distance: Double) -> Point {
        Point(x + cos(angle) * distance, y + sin(angle) * distance)
    }

    /// The way, turned around the origin.
    func turned(_ angle: Double) -> Point {
        Point(x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
    }
}
