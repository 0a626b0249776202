import Foundation
public import Testing

/// The start of one run of a law: the argument of a parametrised test, so a failure prints it.
///
/// `STRATUS_TEST_SEED=<number> swift test --filter <the test>` runs just the case that failed.
public struct Seed: Hashable, Sendable, CustomTestStringConvertible {
    /// The number that decides everything random in the case.
    public let value: UInt64

    public var testDescription: String { "STRATUS_TEST_SEED=\(value)" }

    /// A source of random numbers that begins here.
    public var random: Random { Random(seed: value) }

    /// So many seeds, new ones in each run; the one of `STRATUS_TEST_SEED` alone where it is set.
    public static func some(_ count: Int) -> [Seed] {
        if let text = ProcessInfo.processInfo.environment["STRATUS_TEST_SEED"], let value = UInt64(text) {
            return [Seed(value: value)]
        }
        return (0..<count).map { _ in Seed(value: UInt64.random(in: 0...UInt64.max)) }
    }
}

/// SplitMix64: small, fast, and the same on every machine.
public struct Random: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of a range.
    public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True in one of so many cases.
    public mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    /// One of the elements; the default where there are none.
    public mutating func pick<Element>(_ elements: [Element], else other: Element) -> Element {
        elements.randomElement(using: &self) ?? other
    }

    /// A text of the given characters.
    public mutating func text(_ characters: [Character], _ count: ClosedRange<Int>) -> String {
        String((0..<int(count)).map { _ in pick(characters, else: "x") })
    }
}
