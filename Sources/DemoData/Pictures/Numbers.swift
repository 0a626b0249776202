import Foundation

extension Double {
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }
}

extension Point {
    /// The vector, turned around the origin.
    func turned(_ angle: Double) -> Point {
        Point(x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
    }

    /// The sum of the sines of both numbers.
    var waves: Double { sin(x) + sin(y) }
}
