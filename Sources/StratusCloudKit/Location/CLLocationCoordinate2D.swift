/// Degrees north or east.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres; negative means that the value it describes is not valid.
public typealias CLLocationAccuracy = Double
/// Metres per second; negative means not known.
public typealias CLLocationSpeed = Double
/// Degrees clockwise from north; negative means not known.
public typealias CLLocationDirection = Double

/// A point on Earth in degrees.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    /// Degrees north.
    public var latitude: CLLocationDegrees
    /// Degrees east.
    public var longitude: CLLocationDegrees

    /// The point at 0 degrees north and east.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// A point from its degrees, which are not checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A point that does not exist.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Whether the degrees are numbers in their ranges.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
    (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude)
}
