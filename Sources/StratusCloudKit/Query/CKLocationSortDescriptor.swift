public import Foundation

/// Sorts records by the distance of a place in them from another place, the nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor {
    /// The place that distances are measured from.
    open var relativeLocation: CLLocation { place }
    private let place: CLLocation
    /// The field with the records' places.
    final let locationKey: String

    /// Makes a descriptor for a field with places.
    public init(key: String, relativeLocation: CLLocation) {
        place = relativeLocation
        locationKey = key
        super.init(keyPath: \CKLocationSortDescriptor.locationKey, ascending: true)
    }

    /// Nil: a descriptor with a place cannot be read from an archive. A ``CKQuery`` keeps it in its own.
    public required init?(coder: NSCoder) { nil }
}
