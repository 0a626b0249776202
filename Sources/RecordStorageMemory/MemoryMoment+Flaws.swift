internal import HashTreeCollections
package import RecordStorage

/// What an engine with an error would have done: simulations plant these, to show that they are found.
extension MemoryMoment {
    /// Runs a write whose changes stay where it throws.
    package mutating func writeWithoutUndo<Value>(
        _ body: (any StoreWriter) throws -> Value
    ) rethrows -> (value: Value, hasLogged: Bool, hasRevoked: Bool) {
        let writer = MemoryWriter(state)
        defer { state = writer.state }
        return (try body(writer), writer.hasLogged, writer.hasRevoked)
    }

    /// Gives numbers again that were given.
    package mutating func forgetNumbers(_ count: Int64) {
        state.hasFlaws = true
        state.sequence = max(0, state.sequence - count)
    }

    /// Loses what was kept of requests since a moment.
    package mutating func forgetOutcomes(since moment: MemoryMoment) {
        state.keptOutcomes = moment.state.keptOutcomes
    }

    /// Loses what was logged since a moment.
    package mutating func forgetLogged(since moment: MemoryMoment) {
        state.changeLog = moment.state.changeLog
    }

    /// Loses the tombstones of a zone.
    package mutating func forgetTombstones(ofZone zone: Int64) {
        guard var contents = state.contents[zone] else { return }
        contents.entries = contents.entries.filter { $0.value.record != nil }
        state.contents[zone] = contents
    }

    /// Leaves the records of a zone that changed since a moment where they were in its feed.
    package mutating func leaveInFeed(zone: Int64, since moment: MemoryMoment) {
        for (name, old) in moment.state.contents[zone]?.entries ?? [:] where old.record != nil {
            guard state.contents[zone]?.entries[name]?.record != nil else { continue }
            state.contents[zone]?.entries[name]?.sequence = old.sequence
        }
    }

    /// Answers with the usage of a moment from now on, as counters would that lag; nil ends that.
    package mutating func answerUsage(of moment: MemoryMoment?) {
        state.laggingUsage = moment.map { moment in
            moment.state.databases.values.reduce(into: [:]) { usage, database in
                usage[database] = MemoryReader(moment.state).storedUsage(of: database)
            }
        }
    }
}
