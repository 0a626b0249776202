public import Foundation

/// What to look for: a record type, a predicate, and an order. It can be used for any number of requests.
///
/// Predicates with a format, a value and compounds of them are taken; a predicate that the service cannot
/// answer (a block, a comparison of two fields, a path into another record) is not refused here but when
/// the query is executed, with `CKError.invalidArguments` and a sentence.
///
/// Sendable is unchecked because predicates and sort descriptors of Foundation are classes: they do not
/// change after they are made. Set ``sortDescriptors`` before the query is used.
public final class CKQuery: NSObject, NSCopying, @unchecked Sendable {
    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The condition that records have to meet.
    public let predicate: NSPredicate
    /// The order of the results; nil lets the service choose.
    public var sortDescriptors: [NSSortDescriptor]?

    /// Makes a query without an order.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// A query of the same type, predicate and order.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }
}
