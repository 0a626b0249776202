// What generated accessors call. The key is a literal, so that its address finds the slot; the value's type is
// stated, so that no cast at run time is needed for the common types.

extension NSManagedObject {
    /// The slot of an accessor's key. An accessor that fits no property stops the program: the generated code
    /// belongs to another model.
    final func slot(_ key: StaticString) -> Int {
        guard let slot = layout.keys.slot(key, byText: { layout.slots[$0] }) else {
            fatalError("The entity \(entity.name ?? "?") has no property '\(key)'.")
        }
        if marks.contains(.probe) { KeyPathProbe.note(key.description, self) }
        return slot
    }

    /// The value of a property, for generated accessors.
    public final func managedValue<Value>(_ key: StaticString, as type: Value.Type = Value.self) -> Value {
        let slot = slot(key)
        let any = anyValue(of: slot)
        if let value = any as? Value { return value }
        if let wrapper = Value.self as? any RawRepresentable.Type,
            let value = Self.wrapped(any, in: wrapper) as? Value
        {
            return value
        }
        if let value = Self.swiftCollection(any, as: Value.self) { return value }
        if let empty = Value.self as? any ManagedDefault.Type, let value = empty.managedDefault as? Value {
            return value
        }
        if let value = ClassDefaults.value(Value.self) as? Value { return value }
        fatalError("\(entity.name ?? "?").\(key) is \(any ?? "nil"), which is not of type \(Value.self).")
    }

    /// Sets a property, for generated accessors.
    public final func setManagedValue<Value>(_ key: StaticString, _ value: Value) {
        setAnyValue(Self.unwrappedRaw(value), slot(key))
    }

    /// The primitive value of a property, for generated accessors: no observing, no fault of a relationship.
    public final func managedPrimitiveValue<Value>(
        _ key: StaticString, as type: Value.Type = Value.self
    ) -> Value {
        managedValue(key, as: type)
    }

    /// Sets the primitive value of a property, for generated accessors.
    public final func setManagedPrimitiveValue<Value>(_ key: StaticString, _ value: Value) {
        setPrimitive(Self.unwrappedRaw(value), slot(key))
    }

    /// A value of an enum from its raw value.
    private static func wrapped<Wrapper: RawRepresentable>(_ any: Any?, in type: Wrapper.Type) -> Any? {
        let raw: Wrapper.RawValue? =
            any as? Wrapper.RawValue ?? (Wrapper.RawValue.self as? any ManagedDefault.Type)?.managedDefault
            as? Wrapper.RawValue
        return raw.flatMap { Wrapper(rawValue: $0) }
    }

    /// The raw value of an enum; anything else as it is.
    private static func unwrappedRaw(_ value: Any) -> Any {
        if let wrapper = value as? any RawRepresentable { return wrapper.rawValue }
        return value
    }

    /// A to-many relationship as a Swift array, where the property is declared as one.
    private static func swiftCollection<Value>(_ any: Any?, as type: Value.Type) -> Value? {
        switch any {
        case let ordered as NSOrderedSet: ordered.array as? Value
        case let set as NSSet: set.allObjects as? Value
        default: nil
        }
    }
}

/// A type of accessor that has a value where the property has none: a missing number reads as 0.
protocol ManagedDefault {
    static var managedDefault: Self { get }
}

extension Int: ManagedDefault { static var managedDefault: Int { 0 } }
extension Int16: ManagedDefault { static var managedDefault: Int16 { 0 } }
extension Int32: ManagedDefault { static var managedDefault: Int32 { 0 } }
extension Int64: ManagedDefault { static var managedDefault: Int64 { 0 } }
extension Double: ManagedDefault { static var managedDefault: Double { 0 } }
extension Float: ManagedDefault { static var managedDefault: Float { 0 } }
extension Bool: ManagedDefault { static var managedDefault: Bool { false } }
extension String: ManagedDefault { static var managedDefault: String { "" } }
extension Data: ManagedDefault { static var managedDefault: Data { Data() } }
extension Date: ManagedDefault {
    static var managedDefault: Date { Date(timeIntervalSinceReferenceDate: 0) }
}
extension Decimal: ManagedDefault { static var managedDefault: Decimal { 0 } }
extension UUID: ManagedDefault {
    static var managedDefault: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
extension Optional: ManagedDefault { static var managedDefault: Wrapped? { nil } }
extension Set: ManagedDefault { static var managedDefault: Set<Element> { [] } }
extension Array: ManagedDefault { static var managedDefault: [Element] { [] } }
extension Dictionary: ManagedDefault { static var managedDefault: [Key: Value] { [:] } }

extension URL: ManagedDefault { static var managedDefault: URL { URL(fileURLWithPath: "/") } }

/// The values of Foundation's classes for a property without one.
///
/// An optional attribute is often declared without a question mark, and a key path is followed on an object that has no
/// values.
enum ClassDefaults {
    static func value(_ type: Any.Type) -> Any? {
        switch type {
        case is NSDecimalNumber.Type: NSDecimalNumber.zero
        case is NSNumber.Type: NSNumber(value: 0)
        case is NSString.Type: NSString()
        case is NSDate.Type: NSDate(timeIntervalSinceReferenceDate: 0)
        case is NSData.Type: NSData()
        case is NSURL.Type: NSURL(fileURLWithPath: "/")
        case is NSUUID.Type: UUID.managedDefault as NSUUID
        case is NSSet.Type: NSSet()
        case is NSOrderedSet.Type: NSOrderedSet()
        case is NSArray.Type: NSArray()
        case is NSDictionary.Type: NSDictionary()
        default: nil
        }
    }
}
