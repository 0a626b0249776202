/// How a row's number is made: of its zone's slot and of the sequence number of its creation. All engines number their
/// rows so.
///
/// The rows of a slot lie side by side in their table without an index, in the order they were made, and a number is
/// never used again, since no two changes have one sequence number. Each of the first four million zones has a slot to
/// itself, for ever. Later ones go through the other four million, so from the 8,388,608th on a few share one: their rows
/// tell their zones apart. Nothing about a number changes when that happens.
package enum RowID {
    package static let slotShift: Int64 = 40

    /// The first slot, and so the first zone, that others may share.
    package static let firstShared: Int64 = 1 << 22

    /// The last sequence number for which there are rows' numbers: a trillion changes.
    package static let lastSequence: Int64 = 1 << slotShift - 1

    /// The last number of a zone. To make a zone is a change as well, so changes are used up first.
    package static let lastZone = lastSequence

    /// Where the rows of a zone lie, perhaps with those of others.
    package static func slot(of zone: Int64) -> Int64 {
        zone < firstShared ? zone : firstShared | zone & (firstShared - 1)
    }

    /// Whether other zones may have rows in the slot of a zone.
    package static func isShared(_ zone: Int64) -> Bool { zone >= firstShared }

    package static func make(zone: Int64, sequence: Int64) -> Int64 {
        slot(of: zone) << slotShift | sequence
    }

    /// The zone of a row; nil where only the row itself can tell.
    package static func zone(of id: Int64) -> Int64? {
        let slot = id >> slotShift
        return slot < firstShared ? slot : nil
    }

    /// The least number that a row of a zone may have.
    package static func first(of zone: Int64) -> Int64 { slot(of: zone) << slotShift }

    /// The greatest number that a row of a zone may have.
    package static func last(of zone: Int64) -> Int64 { first(of: zone) | lastSequence }

    /// The sequence number of a row's creation.
    package static func creation(of id: Int64) -> Int64 { id & lastSequence }
}
