import RecordModel
import RecordWire

/// What two people made of one version of a record, field by field.
///
/// What only one of them changed is taken; what both changed to the same is the same. Only fields that both changed
/// otherwise are for a person to decide.
struct RecordMerge {
    /// A field that both changed.
    struct Conflict {
        var name: String
        /// The value that both began with; nil for none.
        var base: JSONValue?
        var mine: WireField
        var theirs: JSONValue?
    }

    typealias Change = (name: String, field: WireField)

    /// What is to be saved of mine: fields that only I changed.
    private(set) var changes: [Change] = []
    private(set) var conflicts: [Conflict] = []
    /// The fields that only they changed.
    private(set) var theirs: [String] = []

    /// Compares the versions.
    ///
    /// - Parameters:
    ///   - base: the fields that I began with, as the service answered them.
    ///   - mine: what I changed of them.
    ///   - current: the fields as they are now.
    init(base: JSONObject?, mine: [Change], current: JSONObject?, type: RecordType) {
        for change in mine {
            let old = Self.value(base, change.name)
            let now = Self.value(current, change.name)
            if Self.isSame(change.field, now, type[change.name]?.type) { continue }
            if Self.plain(old) == Self.plain(now) {
                changes.append(change)
            } else {
                conflicts.append(.init(name: change.name, base: old, mine: change.field, theirs: now))
            }
        }
        let names = ((base?.members ?? []) + (current?.members ?? [])).map(\.key)
        for name in names where !theirs.contains(name) && !mine.contains(where: { $0.name == name }) {
            if Self.plain(Self.value(base, name)) != Self.plain(Self.value(current, name)) {
                theirs.append(name)
            }
        }
    }

    /// What a text with all fields changes of the ones that are there: those that it lacks lose their value.
    static func changes(from base: JSONObject?, to fields: [Change], _ type: RecordType) -> [Change] {
        var changes = fields.filter { change in
            let tag = base?[change.name]?.object?["type"]?.string
            let isOtherType = change.field.type != nil && change.field.type != tag
            return isOtherType || !isSame(change.field, value(base, change.name), type[change.name]?.type)
        }
        for (name, _) in base?.members ?? [] where !fields.contains(where: { $0.name == name }) {
            changes.append((name, WireField(value: .null)))
        }
        return changes
    }

    /// The value of a field; nil for none.
    static func value(_ fields: JSONObject?, _ name: String) -> JSONValue? {
        let value = fields?[name]?.object?.members.last { $0.key == "value" }?.value
        return value == .null ? nil : value
    }

    /// Whether a field that was sent is what the service has.
    private static func isSame(_ sent: WireField, _ there: JSONValue?, _ type: FieldType?) -> Bool {
        guard let there, sent.value != .null else { return sent.value == .null && there == nil }
        if plain(sent.value) == plain(there) { return true }
        guard let type, type.scalar != .asset,
            let left = try? FieldValue.decode(sent, expected: type),
            let right = try? FieldValue.decode(WireField(value: there, type: type.tag), expected: type)
        else { return false }
        return left == right
    }

    /// A value without what differs between two answers about the same: where a file can be fetched, and the receipt
    /// of one that was sent.
    private static func plain(_ value: JSONValue?) -> JSONValue? {
        switch value {
        case .object(let object)?:
            if let checksum = object["fileChecksum"]?.string { return .string(checksum) }
            return .object(JSONObject(object.members.map { ($0.key, plain($0.value) ?? .null) }))
        case .array(let elements)?: return .array(elements.map { plain($0) ?? .null })
        default: return value
        }
    }
}
