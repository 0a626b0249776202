/// How a row's number is made: of its zone and of the sequence number of its creation.
///
/// So the rows of one zone lie side by side in their table without an index, in the order they were made, and
/// a number is never used again. Both stores in SQL number their rows so.
package enum RowID {
    package static let zoneShift: Int64 = 40

    /// The last zone and the last sequence number for which there are rows' numbers: eight million zones, and
    /// a trillion changes.
    package static let lastZone: Int64 = 1 << (63 - zoneShift) - 2
    package static let lastSequence: Int64 = 1 << zoneShift - 1

    package static func make(zone: Int64, sequence: Int64) -> Int64 { zone << zoneShift | sequence }

    package static func zone(of id: Int64) -> Int64 { id >> zoneShift }

    package static func first(of zone: Int64) -> Int64 { zone << zoneShift }

    package static func last(of zone: Int64) -> Int64 { (zone + 1) << zoneShift - 1 }
}
