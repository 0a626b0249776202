public import Foundation
internal import Predicates

/// What to look for: a record type, a predicate, and an order. It can be used for any number of requests.
///
/// Predicates with a format, a value and compounds of them are taken; a predicate that the service cannot
/// answer (a block, a comparison of two fields, a path into another record) is not refused here but when
/// the query is executed, with `CKError.invalidArguments` and a sentence.
///
/// Sendable is unchecked because predicates and sort descriptors of Foundation are classes: they do not
/// change after they are made. What is asked with a query takes a copy first, so ``sortDescriptors`` may be set again for the
/// next request.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type of the records.
    open private(set) var recordType: CKRecord.RecordType
    /// The condition that records have to meet.
    open private(set) var predicate: NSPredicate
    /// The order of the results; nil lets the service choose.
    open var sortDescriptors: [NSSortDescriptor]?

    /// Makes a query without an order.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// Reads a query from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let type = coder.safeText(forKey: "RecordType"),
            let predicate = ArchivedPredicate(coder: coder)?.predicate
        else { return nil }
        recordType = type
        self.predicate = predicate
        sortDescriptors = Self.descriptors(coder)
    }

    /// Writes the query to an archive: of sort descriptors the key, the direction and the place, no code.
    ///
    /// A query whose predicate is made of a block cannot be read again.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: recordType), forKey: "RecordType")
        ArchivedPredicate(predicate)?.encode(with: coder)
        guard let sortDescriptors else { return }
        coder.encode(Int64(sortDescriptors.count), forKey: "SortCount")
        for (index, descriptor) in sortDescriptors.enumerated() {
            let place = (descriptor as? CKLocationSortDescriptor)?.relativeLocation
            if let place { coder.encode(place, forKey: "SortPlace\(index)") }
            let key = (descriptor as? CKLocationSortDescriptor)?.locationKey ?? descriptor.key
            if let key { coder.encode(NSString(string: key), forKey: "SortKey\(index)") }
            coder.encode(Int64(descriptor.ascending ? 1 : 0), forKey: "SortAscending\(index)")
        }
    }

    private static func descriptors(_ coder: NSCoder) -> [NSSortDescriptor]? {
        guard let count = coder.safeInteger(forKey: "SortCount"), count >= 0 else { return nil }
        var descriptors: [NSSortDescriptor] = []
        while descriptors.count < count, coder.containsValue(forKey: "SortAscending\(descriptors.count)") {
            let index = descriptors.count
            let key = coder.safeText(forKey: "SortKey\(index)")
            if let key, let place = coder.safeObject(of: CLLocation.self, forKey: "SortPlace\(index)") {
                descriptors.append(CKLocationSortDescriptor(key: key, relativeLocation: place))
            } else {
                let isAscending = coder.safeInteger(forKey: "SortAscending\(index)") == 1
                descriptors.append(NSSortDescriptor(key: key, ascending: isAscending))
            }
        }
        return descriptors
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A query of the same type, predicate and order.
    open func copy(with zone: NSZone? = nil) -> Any {
        ownCopy
    }

    /// A query of the same type, predicate and order, which the caller does not have.
    var ownCopy: CKQuery {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }
}
