#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Location {
    /// The radius of the sphere that distances are measured on, in metres (IUGG mean radius).
    public static let earthRadiusMetres = 6_371_008.8

    /// The distance on the sphere in metres, by the haversine formula.
    ///
    /// Storage engines sort and filter by this same function, so a page's order and a client's own
    /// arithmetic agree to within rounding.
    public static func distanceMetres(
        _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double
    ) -> Double {
        let radians = Double.pi / 180
        let latitudeHalf = sin((latitude2 - latitude1) * radians / 2)
        let longitudeHalf = sin((longitude2 - longitude1) * radians / 2)
        let chord =
            latitudeHalf * latitudeHalf
            + cos(latitude1 * radians) * cos(latitude2 * radians) * longitudeHalf * longitudeHalf
        return 2 * earthRadiusMetres * asin(min(1, chord.squareRoot()))
    }

    /// The distance to another place in metres.
    public func distanceMetres(to other: Location) -> Double {
        Self.distanceMetres(latitude, longitude, other.latitude, other.longitude)
    }

    /// Whether the degrees are numbers in their ranges.
    public var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }
}
