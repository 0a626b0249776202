public import Foundation

/// A value that a field of a record can hold.
///
/// Strings, numbers, booleans, dates, data, references, assets, places, and lists of one kind of them. A
/// field is read as the Foundation class of its value (`NSString`, `NSNumber`, `NSDate`, `NSData`,
/// `NSArray`), which `as?` turns into any Swift type that fits: `record["likes"] as? Int`.
public protocol CKRecordValue {}

/// The Swift types among the values; the same as ``CKRecordValue`` where there is no Objective-C.
public typealias CKRecordValueProtocol = CKRecordValue

extension NSString: CKRecordValue {}
extension NSNumber: CKRecordValue {}
extension NSArray: CKRecordValue {}
extension NSDate: CKRecordValue {}
extension NSData: CKRecordValue {}
extension CKReference: CKRecordValue {}
extension CKAsset: CKRecordValue {}
extension CLLocation: CKRecordValue {}
extension String: CKRecordValue {}
extension Bool: CKRecordValue {}
extension Int: CKRecordValue {}
extension Int8: CKRecordValue {}
extension Int16: CKRecordValue {}
extension Int32: CKRecordValue {}
extension Int64: CKRecordValue {}
extension UInt: CKRecordValue {}
extension UInt8: CKRecordValue {}
extension UInt16: CKRecordValue {}
extension UInt32: CKRecordValue {}
extension UInt64: CKRecordValue {}
extension Float: CKRecordValue {}
extension Double: CKRecordValue {}
extension Date: CKRecordValue {}
extension Data: CKRecordValue {}
extension Array: CKRecordValue where Element: CKRecordValue {}

extension CLLocation: PredicateLocation {
    /// Degrees north.
    public var predicateLatitude: Double { coordinate.latitude }
    /// Degrees east.
    public var predicateLongitude: Double { coordinate.longitude }
}

/// What has fields that are read and set by key.
public protocol CKRecordKeyValueSetting: AnyObject {
    /// The value of a field; nil where it has none.
    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? { get set }
    /// The value of a field; nil where it has none.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
    /// Sets or, with nil, removes the value of a field.
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
    /// The keys of the fields that have a value.
    func allKeys() -> [CKRecord.FieldKey]
    /// The keys of the fields that were set or removed since the record was made, fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field as the type that the context asks for; nil where it has none, or another type.
    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { object(forKey: key) as? Value }
        set { setObject(newValue, forKey: key) }
    }
}
