public import Foundation
internal import RecordModel

/// A place on Earth, with what a receiver may know besides.
///
/// The part of CoreLocation that record fields and queries need, for platforms without it.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Degrees north and east.
    public final let coordinate: CLLocationCoordinate2D
    /// Metres above sea level.
    public final let altitude: CLLocationDistance
    /// Metres; negative means that the coordinate is not valid.
    public final let horizontalAccuracy: CLLocationAccuracy
    /// Metres; negative means that the altitude is not valid.
    public final let verticalAccuracy: CLLocationAccuracy
    /// Degrees clockwise from north; negative means not known.
    public final let course: CLLocationDirection
    /// Metres per second; negative means not known.
    public final let speed: CLLocationSpeed
    /// When the place was determined.
    public final let timestamp: Date

    /// Makes a place with everything that is known about it.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy,
        course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.speed = speed
        self.timestamp = timestamp
    }

    /// Makes a place from its degrees, determined now.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Makes a place with its altitude and accuracy.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// The distance in metres along the surface, on the sphere that the service measures on.
    public func distance(from location: CLLocation) -> CLLocationDistance {
        Location.distanceMetres(
            coordinate.latitude, coordinate.longitude, location.coordinate.latitude,
            location.coordinate.longitude)
    }

    /// Reads a place from an archive; nil where the archive does not hold one.
    public required convenience init?(coder: NSCoder) {
        guard let latitude = coder.safeDouble(forKey: "Latitude"),
            let longitude = coder.safeDouble(forKey: "Longitude")
        else { return nil }
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: coder.safeDouble(forKey: "Altitude") ?? 0,
            horizontalAccuracy: coder.safeDouble(forKey: "HorizontalAccuracy") ?? 0,
            verticalAccuracy: coder.safeDouble(forKey: "VerticalAccuracy") ?? -1,
            course: coder.safeDouble(forKey: "Course") ?? -1, speed: coder.safeDouble(forKey: "Speed") ?? -1,
            timestamp: Date(timeIntervalSinceReferenceDate: coder.safeDouble(forKey: "Timestamp") ?? 0))
    }

    /// Writes the place to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: "Latitude")
        coder.encode(coordinate.longitude, forKey: "Longitude")
        coder.encode(altitude, forKey: "Altitude")
        coder.encode(horizontalAccuracy, forKey: "HorizontalAccuracy")
        coder.encode(verticalAccuracy, forKey: "VerticalAccuracy")
        coder.encode(course, forKey: "Course")
        coder.encode(speed, forKey: "Speed")
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "Timestamp")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLLocation else { return false }
        return wire == other.wire
    }

    override open var hash: Int { coordinate.hashValue }

    override open var description: String { "<\(coordinate.latitude), \(coordinate.longitude)>" }
}

extension CLLocation {
    /// The place as the wire has it, without what is not known.
    var wire: Location {
        var location = Location(latitude: coordinate.latitude, longitude: coordinate.longitude)
        location.horizontalAccuracy = horizontalAccuracy
        location.verticalAccuracy = verticalAccuracy
        location.altitude = altitude
        location.speed = speed < 0 ? nil : speed
        location.course = course < 0 ? nil : course
        location.timestamp = timestamp.milliseconds
        return location
    }

    /// The place that an answer gives.
    ///
    /// - Parameter timestamp: when it was determined, where that is known better than the wire has it.
    convenience init(_ wire: Location, timestamp: Date? = nil) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: wire.latitude, longitude: wire.longitude),
            altitude: wire.altitude ?? 0, horizontalAccuracy: wire.horizontalAccuracy ?? 0,
            verticalAccuracy: wire.verticalAccuracy ?? -1, course: wire.course ?? -1,
            speed: wire.speed ?? -1, timestamp: timestamp ?? Date(milliseconds: wire.timestamp ?? 0))
    }
}

extension Date {
    /// The milliseconds from 1970 to 2001, where Foundation's dates count from.
    private static let referenceMilliseconds: Int64 = 978_307_200_000

    /// Milliseconds since 1970 as the wire has them; dates beyond what 64 bits hold are cut off there.
    var milliseconds: Int64 {
        let value = (timeIntervalSinceReferenceDate * 1000).rounded()
        guard let exact = Int64(exactly: value) else { return value > 0 ? .max : .min }
        let (sum, isOver) = exact.addingReportingOverflow(Self.referenceMilliseconds)
        return isOver ? .max : sum
    }

    /// The date of milliseconds since 1970.
    ///
    /// NB: counted from 2001 and not from 1970, since a date keeps its distance from there: one of whole milliseconds that was
    /// made so comes back as it was.
    init(milliseconds: Int64) {
        let (distance, isOver) = milliseconds.subtractingReportingOverflow(Self.referenceMilliseconds)
        self.init(timeIntervalSinceReferenceDate: Double(isOver ? .min : distance) / 1000)
    }
}
