import Foundation

/// One run of very many broken inputs: a few thousand in `make test`, always the same; `STRATUS_FUZZ=1000000`
/// says how many, and `STRATUS_SEED` where they begin.
///
/// Each input has a seed of its own, so `STRATUS_SEED=<the one that failed> STRATUS_FUZZ=1` repeats it alone.
public struct Fuzz: Sendable {
    /// What is tried, as the summary calls it.
    public let name: String
    /// How many inputs there are.
    public let count: Int
    /// The seed of the first one.
    public let seed: UInt64

    /// Reads the environment.
    ///
    /// - Parameters:
    ///   - name: what is tried.
    ///   - count: how many inputs `make test` tries.
    public init(_ name: String, count: Int) {
        let environment = ProcessInfo.processInfo.environment
        self.name = name
        self.count = environment["STRATUS_FUZZ"].flatMap { Int($0) } ?? count
        seed = environment["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1_000_003
    }

    /// Tries all inputs.
    ///
    /// - Parameter attempt: takes the input's seed and its source of randomness, and says whether the input was taken for a good one.
    public func run(_ attempt: (UInt64, inout Random) async throws -> Bool) async rethrows {
        var taken = 0
        let start = ContinuousClock.now
        for number in 0..<UInt64(count) {
            let own = seed &+ number
            var random = Random(seed: own)
            if try await attempt(own, &random) { taken += 1 }
        }
        guard ProcessInfo.processInfo.environment["STRATUS_FUZZ"] != nil else { return }
        let seconds = (ContinuousClock.now - start).components.seconds
        print("fuzz: \(name): \(count) inputs from seed \(seed), \(taken) of them taken, \(seconds) s")
    }
}

extension Random {
    /// A text with a few things wrong: bits turned, parts cut, doubled or moved, words put in.
    public mutating func mutated(_ text: String, with words: [String]) -> String {
        String(decoding: mutated(Array(text.utf8), with: words), as: UTF8.self)
    }

    /// Bytes with a few things wrong.
    public mutating func mutated(_ bytes: [UInt8], with words: [String]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<int(1...4) { mutate(&bytes, words) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8], _ words: [String]) {
        let place = int(0...bytes.count)
        let end = min(bytes.count, place + int(1...8))
        switch int(0...7) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(int(0...7))
        case 1 where place < bytes.count: bytes[place] = UInt8(int(0...255))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5:
            let part = Array(bytes[place..<end])
            bytes.removeSubrange(place..<end)
            bytes.insert(contentsOf: part, at: int(0...bytes.count))
        default: bytes.insert(contentsOf: Array(pick(words, else: "").utf8), at: place)
        }
    }
}
