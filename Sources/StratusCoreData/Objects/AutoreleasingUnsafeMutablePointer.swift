/// Where a validation method finds the value, and puts a better one.
///
/// The type of this name exists with Objective-C only. This one has what overrides of
/// `validateValue(_:forKey:)` use: ``pointee``. The value is boxed when it is first asked for, since
/// most values are never looked at by an override.
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
    let cell: ValidationCell

    /// The value.
    public var pointee: AnyObject? {
        get { cell.object }
        nonmutating set { cell.object = newValue }
    }
}

/// A value under validation.
final class ValidationCell {
    private let make: (Int) -> AnyObject?
    /// The slot whose value it is.
    private(set) var slot: Int
    private var made: AnyObject??
    /// Whether an override replaced the value.
    private(set) var isReplaced = false
    /// Whether the value is another one than the object holds.
    var isForeign = false

    init(slot: Int, _ make: @escaping (Int) -> AnyObject?) {
        self.slot = slot
        self.make = make
    }

    /// Stands for another slot's value from now on: one cell serves for all of an object.
    func move(to slot: Int) {
        self.slot = slot
        made = nil
        isReplaced = false
    }

    var object: AnyObject? {
        get {
            if let made { return made }
            let value = make(slot)
            made = .some(value)
            return value
        }
        set {
            made = .some(newValue)
            isReplaced = true
        }
    }

    /// Any value as an object: Foundation's class where there is one.
    static func boxed(_ any: Any?) -> AnyObject? {
        switch any {
        case nil: nil
        case let value as String: NSString(string: value)
        case let value as Date: value as NSDate
        case let value as Data: value as NSData
        case let value as UUID: value as NSUUID
        case let value as URL: value as NSURL
        case let value?: value as AnyObject
        }
    }
}
