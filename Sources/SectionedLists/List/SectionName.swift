/// The name that makes items belong to one section.
///
/// Two names are the same when their UTF-8 bytes are: `é` as one scalar and as two are two sections, because a store
/// that groups by bytes and a list that groups by canonical equivalence would disagree. No name and the empty name
/// are two sections as well.
@usableFromInline struct SectionName: Hashable, Sendable {
    @usableFromInline let text: String?

    @inlinable
    init(_ text: String?) { self.text = text }

    @usableFromInline
    static func == (left: SectionName, right: SectionName) -> Bool {
        switch (left.text, right.text) {
        case (nil, nil): true
        case (var one?, var other?):
            one.utf8.count == other.utf8.count
                && one.withUTF8 { bytes in
                    other.withUTF8 { areEqual(UnsafeRawBufferPointer(bytes), UnsafeRawBufferPointer($0)) }
                }
        default: false
        }
    }

    /// Compares bytes eight at a time; both must be equally many.
    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= one.count {
            guard
                one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            else { return false }
            index += 8
        }
        return one[index...].elementsEqual(other[index...])
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        guard var text else { return hasher.combine(0 as UInt8) }
        hasher.combine(1 as UInt8)
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
