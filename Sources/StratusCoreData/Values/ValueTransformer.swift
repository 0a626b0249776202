import Synchronization

/// The name under which a transformer is registered.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Takes a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The transformer that a transformable attribute has unless it names another one.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
        rawValue: "NSSecureUnarchiveFromData")
}

/// Makes the bytes that a transformable attribute stores, and the value back from them.
///
/// Foundation on Linux has no such class. A subclass overrides ``transformedValue(_:)``, which makes data of a
/// value, and ``reverseTransformedValue(_:)``, and is registered with ``setValueTransformer(_:forName:)``. The
/// subclasses of ``NSSecureUnarchiveFromDataTransformer`` go the other way round, as they do on Apple's
/// platforms.
///
/// Unchecked sendable because the class is open, as Apple's is: one that is registered is used by whatever thread saves,
/// and a subclass with state has to guard it.
open class ValueTransformer: NSObject, @unchecked Sendable {
    private static let registered = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    /// Makes a transformer.
    public override init() { super.init() }

    /// Registers a transformer; nil takes it away.
    open class func setValueTransformer(
        _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
        registered.withLock { $0[name] = transformer }
    }

    /// The names of the registered transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        registered.withLock { Array($0.keys) }
    }

    /// The registered transformer of a name, or one of the class of that name, which is registered then.
    ///
    /// It is the registered object itself, so `===` holds for what ``setValueTransformer(_:forName:)`` was given. Nil where
    /// nothing has the name, and, called on a subclass, where what has it is of another class.
    ///
    /// ```swift
    /// let transformer = ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
    /// ```
    public convenience init?(forName name: NSValueTransformerName) {
        guard let found = Self.named(name) as? Self else { return nil }
        self.init(factory: { found })
    }

    /// The registered transformer of a name, one of the class of that name, or nil.
    package static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
        if let known = registered.withLock({ $0[name] }) { return known }
        if name == .secureUnarchiveFromDataTransformerName || name.rawValue == "NSKeyedUnarchiveFromData" {
            return standard
        }
        guard let type = NSClassFromString(name.rawValue) as? ValueTransformer.Type else { return nil }
        let transformer = type.make()
        registered.withLock { $0[name] = transformer }
        return transformer
    }

    private static let standard = NSSecureUnarchiveFromDataTransformer()

    /// What ``named(_:)`` calls, for a class that is known at run time only; see `ClassInitializers.swift`.
    @_silgen_name("stratus_transformer_init")
    convenience init(_made unused: Void) { self.init() }

    /// The class of what ``transformedValue(_:)`` makes.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether there is a way back.
    open class func allowsReverseTransformation() -> Bool { true }

    /// What is made of a value.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value of what was made of it.
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

extension ValueTransformer: FactoryInitializable {}

/// Makes keyed archives of values: what a transformable attribute does unless it names another one.
///
/// Values of Foundation's classes work: strings, numbers, decimals, dates, data, UUIDs, URLs, and arrays, sets and
/// dictionaries of them, in Swift's form too. Each number comes back as what it was: `true` is not 1, and 1 not 1.0.
///
/// Unchecked sendable as in ``ValueTransformer``; it has no state.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The classes that may be at the top of an archive; a subclass adds its own, which conform to
    /// `NSSecureCoding`.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    /// The value of archived data; nil where it cannot be read.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return SecureArchive.value(data, classes: Swift.type(of: self).allowedTopLevelClasses)
    }

    /// The archived data of a value; nil where it cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { SecureArchive.data($0, classes: Swift.type(of: self).allowedTopLevelClasses) }
    }
}
