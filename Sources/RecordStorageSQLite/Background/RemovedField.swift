import RecordStorage
import RecordWire

/// A field that is gone while bodies still have values of it.
///
/// The values count for nobody. They stand in the bodies of records whose last change is not after the removal: each
/// change of a record writes its body from what readers see, which is without them. So a new field of the same name
/// is told from the old one by the record's sequence number.
struct RemovedField: Hashable, Sendable {
    var name: String
    /// The last sequence number that was given before the removal.
    var sequence: Int64
    /// The job that takes the values out.
    var job: Int64
}

extension [RemovedField] {
    /// The names whose values in a record of some version count for nobody.
    func names(at sequence: Int64) -> Set<String> {
        Set(lazy.filter { sequence <= $0.sequence }.map(\.name))
    }

    /// A record's body as readers may see it; nil where that is the body as it is stored.
    func stripping(_ body: UnsafeRawBufferPointer, at sequence: Int64) throws -> [UInt8]? {
        let names = names(at: sequence)
        guard !names.isEmpty else { return nil }
        return try RecordBody.removing(names, from: [UInt8](body))
    }
}
