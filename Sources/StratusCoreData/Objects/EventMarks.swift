/// What happened to an object since its context last processed changes.
struct EventMarks {
    private var flags: Flags = []

    private struct Flags: OptionSet {
        let rawValue: UInt8

        static let inserted = Flags(rawValue: 1)
        static let updated = Flags(rawValue: 2)
        static let deleted = Flags(rawValue: 4)
        static let refreshed = Flags(rawValue: 8)
        static let listed = Flags(rawValue: 16)
    }

    /// In its context's list of the objects of the event.
    var isListed: Bool { flags.contains(.listed) }
    /// It was made, or came back.
    var isInserted: Bool { flags.contains(.inserted) }
    var isUpdated: Bool { flags.contains(.updated) }
    var isDeleted: Bool { flags.contains(.deleted) }
    /// Its values were read again.
    var isRefreshed: Bool { flags.contains(.refreshed) }

    mutating func noteInsert() { flags.insert(.inserted) }
    mutating func noteUpdate() { flags.insert(.updated) }
    mutating func noteDelete() { flags.insert(.deleted) }
    mutating func noteRefresh() { flags.insert(.refreshed) }
    /// The delete was taken back within the event.
    mutating func forgetDelete() { flags.remove(.deleted) }

    /// - Returns: whether the object was not listed before.
    mutating func list() -> Bool { flags.insert(.listed).inserted }

    /// Ends the event for the object.
    ///
    /// - Returns: what happened to it.
    mutating func take() -> EventMarks {
        defer { flags = [] }
        return self
    }
}
