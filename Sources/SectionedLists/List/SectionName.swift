/// The name that makes items belong to one section.
///
/// Two names are the same when their UTF-8 bytes are: `é` as one scalar and as two are two sections, because a store
/// that groups by bytes and a list that groups by canonical equivalence would disagree. No name and the empty name
/// are two sections as well.
struct SectionName: Hashable, Sendable {
    let text: String?

    init(_ text: String?) { self.text = text }

    static func == (left: SectionName, right: SectionName) -> Bool {
        switch (left.text, right.text) {
        case (nil, nil): true
        case (let one?, let other?): one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        guard var text else { return hasher.combine(0 as UInt8) }
        hasher.combine(1 as UInt8)
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
