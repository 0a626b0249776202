internal import Foundation
internal import RecordModel

/// The value of a field as a record keeps it: independent of the objects it came from, so that a record can
/// be read from any thread.
enum RecordValue: Sendable, Hashable {
    /// Anything but files.
    case field(FieldValue)
    /// A value with dates, or places with dates, that are finer than the milliseconds of the service; the dates as the app
    /// set them, in the order of the value.
    case fine(FieldValue, dates: [Date])
    /// Files: of this machine, of the service, or both.
    case assets([CKAsset], isList: Bool)
    /// Something that no field can hold; the text says what it is. Saving the record fails.
    case unsupported(String)
}

extension RecordValue {
    /// Takes a value of any of the types that ``CKRecordValue`` lists.
    ///
    /// - Parameter zoneID: the zone of the record, which a reference to the same zone does not repeat.
    init(_ any: Any, zoneID: CKRecordZoneID) {
        switch any {
        case let asset as CKAsset: self = .assets([asset], isList: false)
        case let list as NSArray: self = Self.list(list.map { $0 }, zoneID: zoneID, original: any)
        case let list as [Any]: self = Self.list(list, zoneID: zoneID, original: any)
        default:
            self =
                Self.scalar(any, zoneID: zoneID).map { Self.field($0, dates: Self.dates([any])) }
                ?? .unsupported("a \(type(of: any))")
        }
    }

    /// A value that is read with the dates it was set with, wherever the service's milliseconds are other ones.
    private static func field(_ value: FieldValue, dates: [Date]) -> RecordValue {
        let isFine =
            dates.contains { Date(milliseconds: $0.milliseconds) != $0 }
            && !dates.contains { $0.timeIntervalSinceReferenceDate.isNaN }
        return isFine ? .fine(value, dates: dates) : .field(value)
    }

    private static func dates(_ elements: [Any]) -> [Date] {
        elements.compactMap { element in
            switch element {
            case let date as Date: date
            case let date as NSDate: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
            case let location as CLLocation: location.timestamp
            default: nil
            }
        }
    }

    private static func scalar(_ any: Any, zoneID: CKRecordZoneID) -> FieldValue? {
        switch any {
        case let value as String: .string(value)
        case let value as NSString: .string(value.description)
        case let value as Bool where type(of: any) == Bool.self: .int64(value ? 1 : 0)
        case let value as any BinaryInteger: Int64(exactly: value).map { .int64($0) }
        case let value as Double where type(of: any) == Double.self: .double(value)
        case let value as Float where type(of: any) == Float.self: .double(Double(value))
        case let value as NSNumber: number(value)
        case let value as Date: timestamp(value)
        case let value as NSDate:
            timestamp(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as Data: .bytes(Array(value))
        case let value as NSData: .bytes(Array(Data(referencing: value)))
        case let value as CKReference: .reference(value.wire(from: zoneID))
        case let value as CLLocation: .location(value.wire)
        default: nil
        }
    }

    /// The time of a date; nil for NaN.
    private static func timestamp(_ date: Date) -> FieldValue? {
        date.timeIntervalSinceReferenceDate.isNaN ? nil : .timestamp(date.milliseconds)
    }

    private static func number(_ number: NSNumber) -> FieldValue? {
        switch String(cString: number.objCType) {
        case "f", "d": .double(number.doubleValue)
        case "Q": Int64(exactly: number.uint64Value).map { .int64($0) }
        default: .int64(number.int64Value)
        }
    }

    private static func list(_ elements: [Any], zoneID: CKRecordZoneID, original: Any) -> RecordValue {
        if !elements.isEmpty, let assets = elements as? [CKAsset] { return .assets(assets, isList: true) }
        var values: [FieldValue] = []
        for element in elements {
            guard let value = scalar(element, zoneID: zoneID) else {
                return .unsupported("a list with a \(type(of: element))")
            }
            values.append(value)
        }
        let kinds = Set(values.compactMap { $0.type?.scalar })
        if kinds == [.int64, .double] { return .field(.list(values.map(\.asDouble), of: .double)) }
        guard kinds.count <= 1 else { return .unsupported("a list of several kinds of values") }
        return field(.list(values, of: kinds.first ?? emptyKind(original)), dates: dates(elements))
    }

    /// The kind of an empty Swift array's elements, which only its type shows.
    private static func emptyKind(_ array: Any) -> FieldType.Scalar? {
        switch array {
        case is [String] where type(of: array) == [String].self: .string
        case is [Int] where type(of: array) == [Int].self: .int64
        case is [Int64] where type(of: array) == [Int64].self: .int64
        case is [Bool] where type(of: array) == [Bool].self: .int64
        case is [Double] where type(of: array) == [Double].self: .double
        case is [Date] where type(of: array) == [Date].self: .timestamp
        case is [Data] where type(of: array) == [Data].self: .bytes
        case is [CKReference] where type(of: array) == [CKReference].self: .reference
        case is [CLLocation] where type(of: array) == [CLLocation].self: .location
        default: nil
        }
    }
}

extension RecordValue {
    /// Takes a value as the wire has it.
    ///
    /// - Parameter origin: where the service has the value; nil where that is not known.
    init(wire value: FieldValue, origin: CKAsset.Origin? = nil) {
        switch value {
        case .asset(let asset): self = .assets([CKAsset(uploaded: asset, origin: origin)], isList: false)
        case .list(let elements, of: .asset?):
            let assets = elements.compactMap { element -> CKAsset? in
                guard case .asset(let asset) = element else { return nil }
                return CKAsset(uploaded: asset, origin: origin)
            }
            self = .assets(assets, isList: true)
        default: self = .field(value)
        }
    }

    /// The value as the wire has it; nil for one that no field can hold, and for files that were not uploaded.
    var wire: FieldValue? {
        switch self {
        case .field(let value), .fine(let value, _): return value.refusal == nil ? value : nil
        case .assets(let assets, let isList):
            let uploaded = assets.compactMap(\.uploaded)
            guard uploaded.count == assets.count else { return nil }
            return isList ? .list(uploaded.map { .asset($0) }, of: .asset) : uploaded.first.map { .asset($0) }
        case .unsupported: return nil
        }
    }

    /// The files among the value.
    var assets: [CKAsset] {
        if case .assets(let assets, _) = self { assets } else { [] }
    }
}

extension RecordValue {
    /// The value as an app reads it.
    func object(zoneID: CKRecordZoneID) -> (any CKRecordValue)? {
        switch self {
        case .field(let value): value.object(zoneID: zoneID)
        case .fine(let value, let dates):
            value.object(zoneID: zoneID, dates: dates)
        case .assets(let assets, let isList): isList ? NSArray(array: assets) : assets.first
        case .unsupported: nil
        }
    }

    /// Why the value cannot be sent; nil where it can.
    var refusal: String? {
        switch self {
        case .field(let value), .fine(let value, _): value.refusal
        case .assets: nil
        case .unsupported(let what): "holds \(what), which is not a record value"
        }
    }
}

extension FieldValue {
    fileprivate var asDouble: FieldValue {
        if case .int64(let value) = self { .double(Double(value)) } else { self }
    }

    /// The value as an app reads it: an instance of a Foundation class, or of one of CloudKit's own.
    ///
    /// - Parameter dates: the dates of the value in their order, where they are known better than in milliseconds.
    func object(zoneID: CKRecordZoneID, dates: [Date] = []) -> (any CKRecordValue)? {
        guard case .list(let values, _) = self else { return scalarObject(zoneID, dates.first) }
        let areFine = dates.count == values.count
        let objects = values.enumerated().compactMap { index, value in
            value.scalarObject(zoneID, areFine ? dates[index] : nil)
        }
        return NSArray(array: objects)
    }

    private func scalarObject(_ zoneID: CKRecordZoneID, _ date: Date?) -> (any CKRecordValue)? {
        switch self {
        case .string(let value): NSString(string: value)
        case .int64(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .timestamp(let value):
            NSDate(
                timeIntervalSinceReferenceDate: (date ?? Date(milliseconds: value))
                    .timeIntervalSinceReferenceDate)
        case .bytes(let value): NSData(data: Data(value))
        case .reference(let value): CKReference(value, from: zoneID)
        case .asset(let value): CKAsset(uploaded: value)
        case .location(let value): CLLocation(value, timestamp: date)
        case .list: nil
        }
    }

    fileprivate var refusal: String? {
        switch self {
        case .double(let value): value.isFinite ? nil : "holds \(value), which JSON has no number for"
        case .location(let value): value.isValid ? nil : "holds a place whose degrees are out of range"
        case .list(let values, _): values.lazy.compactMap(\.refusal).first
        default: nil
        }
    }
}

extension CKReference {
    /// The link as the wire has it; its zone is left out where it is that of the record with the link.
    func wire(from zoneID: CKRecordZoneID) -> Reference {
        Reference(
            recordName: recordID.recordName, zoneID: recordID.zoneID == zoneID ? nil : recordID.zoneID.wire,
            action: action == .deleteSelf ? .deleteSelf : .none)
    }

    /// The link that an answer gives, in a record of the given zone.
    convenience init(_ wire: Reference, from zoneID: CKRecordZoneID) {
        // In the shared database zones of two owners may have the same name.
        let isOfShared = zoneID.ownerName != CKCurrentUserDefaultName
        let target =
            switch wire.zoneID {
            case .some(let other)
            where other.zoneName != zoneID.zoneName
                || isOfShared && other.ownerName.map { $0 != zoneID.ownerName } == true:
                CKRecordZoneID(
                    zoneName: other.zoneName,
                    ownerName: other.ownerName ?? (isOfShared ? zoneID.ownerName : CKCurrentUserDefaultName))
            default: zoneID
            }
        self.init(
            recordID: CKRecordID(recordName: wire.recordName, zoneID: target),
            action: wire.action == .deleteSelf ? .deleteSelf : .none)
    }
}
