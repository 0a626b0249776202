// The accessors of the common types: no boxes, no casts.

extension NSManagedObject {
    /// The value of a text attribute.
    public final func managedValue(_ key: StaticString, as type: String?.Type = String?.self) -> String? {
        if case .string(let value) = attribute(slot(key)) { value } else { nil }
    }
    /// The value of a text attribute; empty where it has none.
    public final func managedValue(_ key: StaticString, as type: String.Type = String.self) -> String {
        if case .string(let value) = attribute(slot(key)) { value } else { "" }
    }
    /// The value of an integer attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Int16.Type = Int16.self) -> Int16 {
        Int16(truncatingIfNeeded: integer(key))
    }
    /// The value of an integer attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Int32.Type = Int32.self) -> Int32 {
        Int32(truncatingIfNeeded: integer(key))
    }
    /// The value of an integer attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Int64.Type = Int64.self) -> Int64 {
        integer(key)
    }
    /// The value of an integer attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Int.Type = Int.self) -> Int {
        Int(truncatingIfNeeded: integer(key))
    }
    /// The value of a Boolean attribute; false where it has none.
    public final func managedValue(_ key: StaticString, as type: Bool.Type = Bool.self) -> Bool {
        integer(key) != 0
    }
    /// The value of a number attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Double.Type = Double.self) -> Double {
        double(key)
    }
    /// The value of a number attribute; 0 where it has none.
    public final func managedValue(_ key: StaticString, as type: Float.Type = Float.self) -> Float {
        Float(double(key))
    }
    /// The value of a date attribute.
    public final func managedValue(_ key: StaticString, as type: Date?.Type = Date?.self) -> Date? {
        if case .date(let value) = attribute(slot(key)) { value } else { nil }
    }
    /// The value of an attribute of bytes.
    public final func managedValue(_ key: StaticString, as type: Data?.Type = Data?.self) -> Data? {
        if case .data(let value) = attribute(slot(key)) { value } else { nil }
    }
    /// The value of a UUID attribute.
    public final func managedValue(_ key: StaticString, as type: UUID?.Type = UUID?.self) -> UUID? {
        if case .uuid(let value) = attribute(slot(key)) { value } else { nil }
    }

    private func integer(_ key: StaticString) -> Int64 {
        switch attribute(slot(key)) {
        case .int(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    private func double(_ key: StaticString) -> Double {
        switch attribute(slot(key)) {
        case .double(let value): value
        case .int(let value): Double(value)
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: 0
        }
    }

    // MARK: Setters

    /// Sets a text attribute.
    public final func setManagedValue(_ key: StaticString, _ value: String?) {
        let slot = slot(key)
        guard type(of: slot) == .stringAttributeType else { return setAnyValue(value, slot) }
        setAttribute(slot, value.map { .string($0) } ?? .null)
    }
    /// Sets an integer attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Int16) { setInteger(key, Int64(value)) }
    /// Sets an integer attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Int32) { setInteger(key, Int64(value)) }
    /// Sets an integer attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Int64) { setInteger(key, value) }
    /// Sets an integer attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Int) { setInteger(key, Int64(value)) }
    /// Sets a Boolean attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Bool) { setInteger(key, value ? 1 : 0) }
    /// Sets a number attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Double) {
        let slot = slot(key)
        guard type(of: slot) == .doubleAttributeType else { return setAnyValue(value, slot) }
        setAttribute(slot, .double(value))
    }
    /// Sets a date attribute.
    public final func setManagedValue(_ key: StaticString, _ value: Date?) {
        let slot = slot(key)
        guard type(of: slot) == .dateAttributeType else { return setAnyValue(value, slot) }
        setAttribute(slot, value.map { .date($0) } ?? .null)
    }

    private func setInteger(_ key: StaticString, _ value: Int64) {
        let slot = slot(key)
        switch type(of: slot) {
        case .integer64AttributeType: setAttribute(slot, .int(value))
        case .integer32AttributeType where Int32(exactly: value) != nil: setAttribute(slot, .int(value))
        case .integer16AttributeType where Int16(exactly: value) != nil: setAttribute(slot, .int(value))
        case .booleanAttributeType: setAttribute(slot, .int(value == 0 ? 0 : 1))
        default: setAnyValue(value, slot)
        }
    }

    private func type(of slot: Int) -> NSAttributeType? { layout.attributeDescriptions[slot]?.attributeType }
}
