import Synchronization

/// Token buckets of many owners, in memory that does not grow: a bucket is full at first, holds one minute's requests,
/// and fills up again steadily.
///
/// Each bucket is one time, the one at which it will be full again (the generic cell rate algorithm, ITU-T I.371). They
/// lie in rows of four, chosen by a hash that nobody outside can compute; a fifth owner in a row takes the place of the
/// fullest bucket, which loses the least by being forgotten.
final class TokenBuckets: Sendable {
    /// What became of a request.
    struct Level: Equatable, Sendable {
        /// How many requests are left now.
        var remaining: Int
        /// How many nanoseconds until the bucket is full again.
        var untilFull: UInt64
        /// How many nanoseconds until there is one again; nil where this one was let through.
        var wait: UInt64?
    }

    private struct Bucket {
        var owner: UInt64 = 0
        /// When it is full again, in the system's time in nanoseconds.
        var full: UInt64 = 0
    }

    private static let nanosecondsPerMinute: UInt64 = 60_000_000_000
    private static let ways = 4
    /// 65,536 owners, in 1 MiB.
    static let usualRows = 16_384

    private let perMinute: Int
    private let interval: UInt64
    private let rows: UInt64
    private let buckets: Mutex<[Bucket]>

    /// - Parameters:
    ///   - perMinute: how many requests a minute brings, and the most that a bucket holds; at least 1.
    ///   - rows: how many rows of four buckets there are.
    init(perMinute: Int, rows: Int = usualRows) {
        assert(perMinute > 0 && rows > 0)
        self.perMinute = perMinute
        interval = max(1, Self.nanosecondsPerMinute / UInt64(max(1, perMinute)))
        self.rows = UInt64(max(1, rows))
        buckets = Mutex(Array(repeating: Bucket(), count: max(1, rows) * Self.ways))
    }

    /// How a request is counted.
    enum Counting {
        /// If there is one left.
        case ifLeft
        /// Not at all: one only looks.
        case never
        /// In any case; a bucket can be emptier than empty by those that were looked at together.
        case always
    }

    /// Takes a request from an owner's bucket.
    ///
    /// - Parameters:
    ///   - owner: the owner's hash.
    ///   - now: the system's time in nanoseconds; times never go back.
    func take(_ counting: Counting = .ifLeft, from owner: UInt64, at now: UInt64) -> Level {
        // 0 marks a bucket that nobody has.
        let owner = max(1, owner)
        let capacity = interval * UInt64(perMinute)
        return buckets.withLock { buckets in
            let index = Self.index(of: owner, in: &buckets, row: owner % rows)
            let empties = max(buckets[index].full, now) + interval
            let isLeft = empties - now <= capacity
            // What is refused takes nothing, so waiting always helps.
            if counting == .always || counting == .ifLeft && isLeft { buckets[index].full = empties }
            guard isLeft else {
                return Level(
                    remaining: 0, untilFull: empties - interval - now, wait: empties - now - capacity)
            }
            return Level(
                remaining: Int((capacity - (empties - now)) / interval), untilFull: empties - now, wait: nil)
        }
    }

    private static func index(of owner: UInt64, in buckets: inout [Bucket], row: UInt64) -> Int {
        let first = Int(row) * ways
        var fullest = first
        for index in first..<first + ways {
            if buckets[index].owner == owner { return index }
            if buckets[index].full < buckets[fullest].full { fullest = index }
        }
        buckets[fullest] = Bucket(owner: owner)
        return fullest
    }
}
