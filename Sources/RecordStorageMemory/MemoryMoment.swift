internal import HashTreeCollections
package import RecordModel
package import RecordStorage

/// All that a store in memory holds, as one value: the store of a simulation, which decides by itself when a write is
/// on its disk and what a crash leaves.
package struct MemoryMoment: Sendable {
    var state = MemoryState()

    /// Nothing is stored.
    package init() {}

    /// Reads.
    package func read<Value>(_ body: (any StoreReader) throws -> Value) rethrows -> Value {
        try body(MemoryReader(state))
    }

    /// Runs one write: what it did is there where it succeeds, and gone where it throws.
    ///
    /// A number that was given is never given again, also when what it was given for is undone.
    /// - Returns: what the closure gives, whether changes were logged, and whether something was taken away from callers.
    package mutating func write<Value>(
        _ body: (any StoreWriter) throws -> Value
    ) rethrows -> (value: Value, hasLogged: Bool, hasRevoked: Bool) {
        let writer = MemoryWriter(state)
        defer { state.sequence = writer.state.sequence }
        let value = try body(writer)
        state = writer.state
        state.check()
        return (value, writer.hasLogged, writer.hasRevoked)
    }

    /// The schema of a tenant.
    package func schema(of tenant: Tenant) -> Schema { state.schemas[tenant] ?? Schema() }

    /// A record, or what is left of one.
    package struct Entry: Sendable {
        package var zone: Int64
        package var name: String
        package var sequence: Int64
        /// Nil for a tombstone.
        package var body: [UInt8]?
    }

    /// All records and tombstones of a zone, in no order.
    package func entries(ofZone zone: Int64) -> [Entry] {
        (state.contents[zone]?.entries ?? [:]).map { name, entry in
            Entry(zone: zone, name: name.text, sequence: entry.sequence, body: entry.record?.body)
        }
    }
}
