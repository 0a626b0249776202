import RecordModel
public import RecordWire

/// Records to try the service with: players, what they write, and restaurants, in a hundred cities and twelve
/// languages.
///
/// Everything follows from the files and the seed: the same values give the same bytes on every machine. Records are
/// made one by one as they are asked for, so a million of them take no more memory than one.
///
/// ```swift
/// let files = try DemoFiles(folder: "Examples/Demo")
/// for request in DemoData(files, playerCount: 1_000).batches(of: 200) { send(request) }
/// ```
public struct DemoData: Sendable {
    /// The record types, in the order in which records come.
    public enum Kind: String, Sendable, CaseIterable {
        case player = "Player"
        case post = "Post"
        case restaurant = "Restaurant"
    }

    /// 2026-01-01T00:00:00Z: all dates lie before it, so that the data does not change with the day.
    public static let standardReference: Int64 = 1_767_225_600_000

    /// What records are made of.
    let files: DemoFiles
    /// What everything else follows from.
    public let seed: UInt64
    /// How many records of each type there are.
    public let playerCount: Int
    public let postCount: Int
    public let restaurantCount: Int
    /// The moment, in milliseconds since 1970, before which all dates lie.
    public let reference: Int64

    /// Sets how much data there is; negative counts become 0.
    public init(
        _ files: DemoFiles, playerCount: Int = 20_000, postCount: Int = 30_000, restaurantCount: Int = 500,
        seed: UInt64 = 2_026,
        reference: Int64 = DemoData.standardReference
    ) {
        self.files = files
        self.playerCount = max(0, playerCount)
        self.postCount = max(0, postCount)
        self.restaurantCount = max(0, restaurantCount)
        self.seed = seed
        self.reference = reference
    }

    /// How many records of a type there are.
    public func count(of kind: Kind) -> Int {
        switch kind {
        case .player: playerCount
        case .post: postCount
        case .restaurant: restaurantCount
        }
    }

    /// How many records there are.
    public var count: Int { playerCount + postCount + restaurantCount }

    /// The record of a type and a number; numbers count from 0.
    public func record(_ kind: Kind, _ index: Int) -> RecordInput {
        switch kind {
        case .player: player(index)
        case .post: post(index)
        case .restaurant: restaurant(index)
        }
    }

    /// The records of one type as requests, made as they are asked for.
    ///
    /// They replace what is there, so sending one twice does no harm.
    ///
    /// - Parameters:
    ///   - size: how many records a request has at most.
    ///   - start: the number of the first record.
    public func batches(
        of size: Int, kind: Kind, from start: Int = 0
    ) -> some Sequence<RecordsModifyRequest> & Sendable {
        let size = max(1, size)
        let end = count(of: kind)
        let data = self
        return stride(from: max(0, start), to: end, by: size).lazy.map { @Sendable first in
            RecordsModifyRequest(
                operations: (first..<min(first + size, end)).map {
                    RecordOperation(.forceReplace, data.record(kind, $0))
                },
                atomic: false)
        }
    }

    /// All records as requests: players, then posts, then restaurants.
    public func batches(of size: Int) -> some Sequence<RecordsModifyRequest> {
        Kind.allCases.lazy.flatMap { batches(of: size, kind: $0) }
    }

    /// The name of a record; names grow with the number.
    public static func recordName(_ kind: Kind, _ index: Int) -> String {
        let digits = String(index + 1)
        return kind.rawValue.lowercased() + "-" + String(repeating: "0", count: max(0, 7 - digits.count))
            + digits
    }
}
