/// How far a file is imported without a gap, while several batches are on their way and end in any order.
struct AcknowledgedFrontier: Sendable, Equatable {
    /// A position between two rows.
    struct Place: Sendable, Equatable {
        /// The byte of the file.
        var offset: Int64
        /// The line that begins there.
        var line: Int
        /// The records imported up to here.
        var imported: Int
        /// The rows that could not be.
        var rejected: Int
    }

    /// What one batch adds.
    struct Batch: Sendable, Equatable {
        /// The position after its last row.
        var offset: Int64
        var line: Int
        /// What became of its rows.
        var imported: Int
        var rejected: Int
    }

    /// All before this place is done.
    private(set) var place: Place
    private var next = 0
    private var done: [Int: Batch] = [:]

    /// Starts at a position.
    init(_ place: Place) { self.place = place }

    /// Notes that a batch is done. Batches are numbered from 0 in the order of the file.
    mutating func complete(_ number: Int, _ batch: Batch) {
        done[number] = batch
        while let batch = done.removeValue(forKey: next) {
            place.offset = batch.offset
            place.line = batch.line
            place.imported += batch.imported
            place.rejected += batch.rejected
            next += 1
        }
    }
}
