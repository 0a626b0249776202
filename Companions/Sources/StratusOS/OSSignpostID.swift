internal import Synchronization

/// Tells intervals of the same name apart.
public struct OSSignpostID: Hashable, Comparable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// The interval of a name that never overlaps itself.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// No interval.
    public static let invalid = OSSignpostID(~0)
    /// No interval.
    public static let null = OSSignpostID(0)

    private static let last = Atomic<UInt64>(0)

    /// Keeps a number.
    public init(_ value: UInt64) { rawValue = value }

    /// A number that no other of the process has.
    public init(log: OSLog) { rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The number of an object, while that is alive.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object).hashValue))
    }

    public static func < (first: OSSignpostID, second: OSSignpostID) -> Bool {
        first.rawValue < second.rawValue
    }
}

/// What a signpost marks.
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    public var rawValue: UInt8
    /// Makes a kind of Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Makes a kind of Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// A moment.
    public static let event = OSSignpostType(0)
    /// The beginning of an interval.
    public static let begin = OSSignpostType(1)
    /// The end of an interval.
    public static let end = OSSignpostType(2)
}
