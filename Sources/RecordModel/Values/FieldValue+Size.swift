extension FieldValue {
    /// How many bytes of data the value is, whatever JSON makes of it: those of its text in UTF-8 or of its bytes, eight for a
    /// number, a date and each number of a location, the name of a record that is referred to, and nothing for files,
    /// which are stored apart.
    public var dataBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .int64, .double, .timestamp: 8
        case .reference(let reference): reference.recordName.utf8.count
        case .asset: 0
        case .location(let location): 8 * location.numberCount
        case .list(let elements, _): elements.reduce(0) { $0 + $1.dataBytes }
        }
    }
}

extension Location {
    fileprivate var numberCount: Int {
        let others = [horizontalAccuracy, verticalAccuracy, altitude, speed, course]
        return 2 + others.count { $0 != nil } + (timestamp == nil ? 0 : 1)
    }
}
