/// What a migration of a store would do, found out without changing it.
public struct MigrationPlan: Codable, Sendable, Equatable {
    /// Whether anything has to be done, and can be.
    public enum Status: String, Codable, Sendable {
        /// The model opens the store as it is.
        case notNeeded
        /// Lightweight migration does it.
        case lightweight
        /// A mapping model that was made in code does it.
        case mapping
        /// Nothing leads from the store's model to the wanted one; see ``MigrationPlan/obstacles``.
        case impossible
    }

    /// A kind of change.
    public enum Action: String, Codable, Sendable {
        case addEntity, removeEntity, renameEntity, moveEntity, changeEntity, addConstraint
        case addProperty, removeProperty, renameProperty, moveProperty, changeProperty
    }

    /// One change of the model.
    public struct Step: Codable, Sendable, Hashable {
        /// The entity, by its newer name where it has one.
        public var entity: String
        /// The attribute or relationship; nil where the entity itself is meant.
        public var property: String?
        /// What kind of change.
        public var action: Action
        /// The change in words.
        public var detail: String
    }

    /// Something that is not in the store any more afterwards.
    public struct Loss: Codable, Sendable, Hashable {
        /// The entity, by its older name.
        public var entity: String
        /// The attribute or relationship, by its older name; nil for the objects themselves.
        public var property: String?
        /// How many objects lose something; nil where it was not counted.
        public var count: Int64?
        /// What becomes of it.
        public var reason: String

        /// A loss; without a property, of the objects themselves.
        package init(entity: String, property: String? = nil, count: Int64? = nil, reason: String) {
            self.entity = entity
            self.property = property
            self.count = count
            self.reason = reason
        }
    }

    /// Whether it is needed, and possible.
    public var status: Status
    /// The store's path.
    public var store: String
    /// The checksums of the versions on the way: the store's first, the model's last.
    public var versions: [String] = []
    /// What changes.
    public var steps: [Step] = []
    /// What is lost.
    public var losses: [Loss] = []
    /// Why it is impossible.
    public var obstacles: [MigrationObstacle] = []
    /// How many objects of each entity there are, by older name.
    public var objects: [String: Int64] = [:]
    /// How many rows are copied or changed.
    public var rowsRewritten: Int64 = 0
    /// The size of the store, which is copied.
    public var bytes: Int64 = 0
    /// How long it may take: a rough guess from rows and bytes.
    public var estimatedSeconds: Double = 0
    /// The statements; what follows them (indexes that changed, derived attributes, metadata) is not among them.
    public var statements: [String] = []

    /// A plan that is filled in as things are found out.
    package init(status: Status, store: String) {
        self.status = status
        self.store = store
    }
}

extension MigrationPlan: CustomStringConvertible {
    public var description: String {
        var lines: [String] = []
        switch status {
        case .notNeeded: return "\(store): nothing to do, the model opens the store as it is.\n"
        case .impossible:
            lines.append("\(store): cannot be migrated by inference.")
            return (lines + obstacles.map { "  ✗ \($0)" }).joined(separator: "\n") + "\n"
        case .mapping: lines.append("\(store): a mapping model migrates it, object by object.")
        case .lightweight:
            let way = versions.count > 2 ? ", in \(versions.count - 1) steps through known versions" : ""
            lines.append("\(store): lightweight migration\(way).")
        }
        let total = objects.values.reduce(0, +)
        lines.append("  \(total) objects, \(bytes) bytes; \(rowsRewritten) rows change; about \(duration).")
        if !steps.isEmpty { lines.append("Changes:") }
        lines += steps.map { "  \($0.entity)\($0.property.map { "." + $0 } ?? ""): \($0.detail)" }
        lines.append(losses.isEmpty ? "Nothing is lost." : "Lost:")
        lines += losses.map { loss in
            let count = loss.count.map { "\($0) objects, " } ?? ""
            return "  \(loss.entity)\(loss.property.map { "." + $0 } ?? ""): \(count)\(loss.reason)"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var duration: String {
        estimatedSeconds < 1 ? "less than a second" : "\(Int(estimatedSeconds.rounded(.up))) seconds"
    }
}
