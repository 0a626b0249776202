import RecordModel
import Synchronization

/// The id of a request, under which its answer, its errors and its log line can be found: a UUID (version 4).
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    private static let seed = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The next id, unique but no secret: a count, mixed with a number that this process drew. Asking the
    /// system for randomness would cost each request a call into the kernel.
    static func next() -> RequestID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return RequestID(
            high: mixed(seed &+ number &* 2) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: mixed(seed &+ number &* 2 &+ 1) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// The id of a text; nil where the text is none.
    public init?(_ text: some StringProtocol) {
        guard let prefix = RequestIDPrefix(text), prefix.digits == 32 else { return nil }
        self.init(high: prefix.high, low: prefix.low)
    }

    /// 32 lowercase digits in five groups.
    public var description: String { String(uuidOf: high, low, isCapital: false) }

    /// SplitMix64's mixing step: a bijection, so different numbers stay different.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var z = number &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The beginning of a request's id, or all of it, as a person types or pastes it.
public struct RequestIDPrefix: Hashable, Sendable {
    /// How many of the 32 digits are known.
    let digits: Int
    let high: UInt64
    let low: UInt64

    /// Takes hexadecimal digits of either case; dashes and spaces around them do not matter.
    ///
    /// Nil for a text without a digit, with more than 32, or with anything else in it.
    public init?(_ text: some StringProtocol) {
        var words: [UInt64] = [0, 0]
        var digits = 0
        for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
            guard digits < 32, let value = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            words[digits / 16] |= UInt64(value) << UInt64(60 - digits % 16 * 4)
            digits += 1
        }
        guard digits > 0 else { return nil }
        self.digits = digits
        high = words[0]
        low = words[1]
    }

    /// Whether an id begins like this.
    public func matches(_ id: RequestID) -> Bool {
        (id.high ^ high) & Self.mask(digits) == 0 && (id.low ^ low) & Self.mask(digits - 16) == 0
    }

    /// A word whose first so many hexadecimal digits are set.
    private static func mask(_ digits: Int) -> UInt64 {
        digits <= 0 ? 0 : digits >= 16 ? .max : ~(UInt64.max >> UInt64(digits * 4))
    }
}
