import Foundation
public import Testing

/// The start of one run of a law: the argument of a parametrised test, so a failure prints it.
///
/// Seeds are the same in each run, so `make test` says the same twice. `STRATUS_SEED=<number> swift test --filter
/// <the test>` runs just the case that failed. `STRATUS_SOAK=<n>` runs n times as many, random ones (`make night`);
/// what fails there joins the `failed` seeds of its law, and is run each time from then on.
public struct Seed: Hashable, Sendable, CustomTestStringConvertible {
    /// The number that decides everything random in the case.
    public let value: UInt64

    /// Begins with a number of one's own.
    public init(_ value: UInt64) { self.value = value }

    public var testDescription: String { "STRATUS_SEED=\(value)" }

    /// A source of random numbers that begins here.
    public var random: Random { Random(seed: value) }

    /// So many seeds, the same ones in each run, after those that failed once.
    ///
    /// A parametrised test takes them as arguments. One that makes very many short runs loops over them instead, and
    /// names the seed in what it records.
    public static func some(_ count: Int, failed: [UInt64] = []) -> [Seed] {
        let environment = ProcessInfo.processInfo.environment
        if let value = environment["STRATUS_SEED"].flatMap({ UInt64($0) }) { return [Seed(value)] }
        guard let times = environment["STRATUS_SOAK"].flatMap({ Int($0) }) else {
            // Far apart, since some laws count on from their seed.
            return failed.map(Seed.init) + (0..<count).map { Seed(UInt64($0 + 1) * 1_000_003) }
        }
        // The upper half stays free, so that counting on never overflows.
        return (0..<count * max(times, 1)).map { _ in Seed(UInt64.random(in: 0...UInt64.max / 2)) }
    }

    /// The seed of a test that has one run; see ``some(_:failed:)``.
    public static var one: Seed { some(1)[0] }
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
