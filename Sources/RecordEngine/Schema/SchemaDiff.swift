public import RecordModel
public import SchemaLanguage

/// What has to change so that one schema becomes another.
///
/// Both sides are compared `SchemaDocument/normalized()`, so order, comments and fields of the system without an
/// index make no difference.
public struct SchemaDiff: Hashable, Sendable {
    /// One difference.
    public enum Change: Hashable, Sendable {
        /// A security role comes.
        case roleAdded(String)
        /// A security role goes.
        case roleRemoved(String)
        /// A record type comes; its fields and grants follow as changes of their own.
        case typeAdded(String)
        /// A record type goes, with all that it has.
        case typeRemoved(String)
        /// A field comes, with its indexes.
        case fieldAdded(type: String, SchemaField)
        /// A field goes.
        case fieldRemoved(type: String, SchemaField)
        /// A field gets another type.
        case fieldTypeChanged(type: String, from: SchemaField, to: SchemaField)
        /// A field gets other indexes.
        case indexesChanged(type: String, name: String, from: FieldIndexes, to: FieldIndexes)
        /// A record type gets other permissions.
        case grantsChanged(type: String, from: [SecurityGrant], to: [SecurityGrant])
    }

    /// The differences, type by type in the order of their names.
    public let changes: [Change]

    /// Whether both sides mean the same.
    public var isEmpty: Bool { changes.isEmpty }

    /// Compares two documents.
    public init(from old: SchemaDocument, to new: SchemaDocument) {
        let old = old.normalized()
        let new = new.normalized()
        var changes: [Change] = new.roles.filter { !old.roles.contains($0) }.map { .roleAdded($0) }
        changes += old.roles.filter { !new.roles.contains($0) }.map { .roleRemoved($0) }
        let before = Dictionary(old.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for name in Set(before.keys).union(after.keys).sorted() {
            guard let type = after[name] else {
                changes.append(.typeRemoved(name))
                continue
            }
            if before[name] == nil { changes.append(.typeAdded(name)) }
            changes += Self.changes(from: before[name] ?? SchemaRecordType(name: name), to: type)
        }
        self.changes = changes
    }

    private static func changes(from old: SchemaRecordType, to new: SchemaRecordType) -> [Change] {
        var changes: [Change] = []
        let before = Dictionary(old.fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for name in Set(before.keys).union(after.keys).sorted() {
            if let change = change(from: before[name], to: after[name], type: new.name) {
                changes.append(change)
            }
        }
        if old.effectiveGrants != new.effectiveGrants {
            changes.append(
                .grantsChanged(type: new.name, from: old.effectiveGrants, to: new.effectiveGrants))
        }
        return changes
    }

    private static func change(from old: SchemaField?, to new: SchemaField?, type: String) -> Change? {
        // A field of the system is always there; only its indexes come and go.
        if let name = (old ?? new)?.name, SystemFieldName(rawValue: name) != nil {
            let before = old?.indexes ?? []
            let after = new?.indexes ?? []
            return before == after
                ? nil : .indexesChanged(type: type, name: name, from: before, to: after)
        }
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): return .fieldAdded(type: type, new)
        case (let old?, nil): return .fieldRemoved(type: type, old)
        case (let old?, let new?):
            if old.type != new.type { return .fieldTypeChanged(type: type, from: old, to: new) }
            return old.indexes == new.indexes
                ? nil : .indexesChanged(type: type, name: new.name, from: old.indexes, to: new.indexes)
        }
    }
}

extension SchemaDiff.Change: CustomStringConvertible {
    /// What the change is called in JSON.
    public var kind: String {
        switch self {
        case .roleAdded: "roleAdded"
        case .roleRemoved: "roleRemoved"
        case .typeAdded: "typeAdded"
        case .typeRemoved: "typeRemoved"
        case .fieldAdded: "fieldAdded"
        case .fieldRemoved: "fieldRemoved"
        case .fieldTypeChanged: "fieldTypeChanged"
        case .indexesChanged: "indexesChanged"
        case .grantsChanged: "grantsChanged"
        }
    }

    /// The record type that changes; nil for a role.
    public var recordType: String? {
        switch self {
        case .roleAdded, .roleRemoved: nil
        case .typeAdded(let name), .typeRemoved(let name): name
        case .fieldAdded(let type, _), .fieldRemoved(let type, _), .fieldTypeChanged(let type, _, _): type
        case .indexesChanged(let type, _, _, _), .grantsChanged(let type, _, _): type
        }
    }

    /// The field that changes; nil where none does.
    public var field: String? {
        switch self {
        case .fieldAdded(_, let field), .fieldRemoved(_, let field), .fieldTypeChanged(_, _, let field):
            field.name
        case .indexesChanged(_, let name, _, _): name
        default: nil
        }
    }

    /// The change as a line for a person: `+` comes, `-` goes, `~` changes.
    public var description: String {
        switch self {
        case .roleAdded(let name): "+ role \(name)"
        case .roleRemoved(let name): "- role \(name)"
        case .typeAdded(let name): "+ record type \(name)"
        case .typeRemoved(let name): "- record type \(name)"
        case .fieldAdded(let type, let field): "+ field \(type).\(Self.text(field))"
        case .fieldRemoved(let type, let field): "- field \(type).\(Self.text(field))"
        case .fieldTypeChanged(let type, let old, let new):
            "~ field \(type).\(new.name): \(Self.words(old)) becomes \(Self.words(new))"
        case .indexesChanged(let type, let name, let old, let new):
            "~ indexes of \(type).\(name): \(Self.text(old)) become \(Self.text(new))"
        case .grantsChanged(let type, let old, let new):
            "~ grants of \(type): \(Self.text(old)) become \(Self.text(new))"
        }
    }

    private static func text(_ field: SchemaField) -> String { "\(field.name) \(words(field))" }

    private static func words(_ field: SchemaField) -> String {
        ([field.type.description] + field.indexes.words).joined(separator: " ")
    }

    private static func text(_ indexes: FieldIndexes) -> String {
        indexes.isEmpty ? "none" : indexes.words.joined(separator: " ")
    }

    private static func text(_ grants: [SecurityGrant]) -> String {
        guard !grants.isEmpty else { return "none" }
        return grants.map { "\($0.permissions.words.joined(separator: ", ")) to \($0.role)" }
            .joined(separator: "; ")
    }
}
