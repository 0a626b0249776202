import RecordModel
import SchemaLanguage

/// A record type or a field of development that was deleted with its values, which are kept for a while.
///
/// The values are versions of a record type of its own, which nobody can name: `~TIME~Player`, or `~TIME~Player.size`
/// for a field. It has the definition of what was deleted, and no records; so engines need to know nothing of it.
public struct RemovedPart: Hashable, Sendable {
    /// The record type that was deleted, or that the field was one of.
    public let type: String
    /// The field; nil where the whole type was deleted.
    public let field: String?
    /// When it was deleted, in milliseconds since 1970.
    public let removedAt: Int64
    /// For how many days the values are kept.
    public let days: Int
    /// What keeps the definition and the values.
    let hidden: RecordType

    /// What it is called: `Player` or `Player.size`.
    public var title: String { field.map { "\(type).\($0)" } ?? type }
    /// When the values go, in milliseconds since 1970.
    public var endsAt: Int64 { removedAt + Int64(days) * 86_400_000 }
    /// Tells it from others of its title.
    public var id: Int64 { hidden.id }

    init?(_ hidden: RecordType) {
        let parts = hidden.name.split(separator: "~")
        guard hidden.isHidden, parts.count == 2, let time = Int64(parts[0]) else { return nil }
        let names = parts[1].split(separator: ".", maxSplits: 1).map(String.init)
        guard let type = names.first else { return nil }
        self.type = type
        field = names.count == 2 ? names[1] : nil
        removedAt = time
        days = hidden.keeping?.days ?? 0
        self.hidden = hidden
    }

    /// The name of what keeps the values.
    static func hiddenName(_ target: RemovalTarget, at time: Int64) -> String { "~\(time)~\(target.title)" }

    /// What the versions of a hidden type have as names: those of their records after something that no record's name begins
    /// with, so that they are nobody's history.
    ///
    /// - Parameters:
    ///   - record: the record's name.
    ///   - zone: its zone, where that one has gone and the default zone keeps the version; nil where the version is in its zone.
    static func versionName(_ hidden: RecordType, record: String, zone: String?) -> String {
        prefix(hidden) + (zone.map { "\u{2}\($0)\u{2}" } ?? "") + record
    }

    /// The zone and the record that a version's name tells of; nil for one that is not of the hidden type.
    static func place(ofVersionNamed name: String, _ hidden: RecordType) -> (zone: String?, record: String)? {
        let prefix = prefix(hidden)
        guard name.hasPrefix(prefix) else { return nil }
        let rest = name.dropFirst(prefix.count)
        guard rest.first == "\u{2}" else { return (nil, String(rest)) }
        let parts = rest.dropFirst().split(separator: "\u{2}", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    private static func prefix(_ hidden: RecordType) -> String { "\u{1}\(hidden.id)/" }
}

/// For how long values are kept that are deleted with a type or a field.
public struct RemovalKeeping: Sendable {
    /// The days; 0 for not at all.
    public var days: Int
    /// Milliseconds since 1970.
    public var now: @Sendable () -> Int64

    /// Names both.
    public init(days: Int, now: @escaping @Sendable () -> Int64) {
        self.days = days
        self.now = now
    }
}

/// What a change of a schema takes away with values.
struct RemovalTarget: Hashable {
    let type: String
    let field: String?

    var title: String { field.map { "\(type).\($0)" } ?? type }

    init?(_ change: SchemaDiff.Change) {
        switch change {
        case .typeRemoved(let name): (type, field) = (name, nil)
        case .fieldRemoved(let name, let gone): (type, field) = (name, gone.name)
        case .fieldTypeChanged(let name, let old, _) where change.isDestructive:
            (type, field) = (name, old.name)
        default: return nil
        }
    }
}
