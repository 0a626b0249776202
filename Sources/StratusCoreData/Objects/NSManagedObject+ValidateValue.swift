extension NSManagedObject {
    /// Whether a value may be set; may replace it by one that may.
    ///
    /// Calls the overridable method that takes a pointer.
    /// - Throws: `CocoaError` with codes 1550 to 1690.
    public func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
        let former = value
        let cell = ValidationCell(slot: 0) { _ in former }
        cell.isForeign = true
        defer { if cell.isReplaced { value = cell.object } }
        try validateValue(AutoreleasingUnsafeMutablePointer<AnyObject?>(cell: cell), forKey: key)
    }

    /// Whether a value may be set; may replace it by one that may.
    ///
    /// - Throws: `CocoaError` with codes 1550 to 1690.
    public func validateValue(_ value: inout Any?, forKey key: String) throws {
        var object = ValidationCell.boxed(value)
        let former = object
        defer { if object !== former { value = object } }
        try validateValue(&object, forKey: key)
    }
}
