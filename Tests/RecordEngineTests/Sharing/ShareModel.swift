/// What sharing is, in so few words that one can see that it is right: zones of owners, records below one another, shares of records
/// or of zones, and what people are to them.
struct ShareModel {
    typealias User = Int

    struct ZoneKey: Hashable, Comparable, CustomStringConvertible {
        let owner: User
        let name: String
        var description: String { "\(name) of u\(owner)" }

        static func < (left: ZoneKey, right: ZoneKey) -> Bool {
            (left.owner, left.name) < (right.owner, right.name)
        }
    }

    enum Permission: Int, Comparable {
        case none, read, write
        var word: String { ["NONE", "READ_ONLY", "READ_WRITE"][rawValue] }

        static func < (left: Permission, right: Permission) -> Bool { left.rawValue < right.rawValue }
    }

    enum Status { case invited, accepted, left, removed, requested, blocked }

    struct Person {
        var status: Status
        var permission: Permission
        var isVisitor = false
        var isListed: Bool { [.invited, .accepted, .left].contains(status) }
    }

    struct Share {
        var root: String?
        var open = Permission.none
        var takesRequests = false
        var people: [User: Person] = [:]
    }

    struct Item {
        var value: Int
        var parent: String?
    }

    struct Zone {
        var items: [String: Item] = [:]
        var shares: [String: Share] = [:]

        /// The share that a record belongs to.
        func share(of name: String) -> String? {
            if let whole = shares.first(where: { $0.value.root == nil })?.key { return whole }
            var next: String? = name
            var seen: Set<String> = []
            while let item = next, seen.insert(item).inserted {
                if let share = shares.first(where: { $0.value.root == item })?.key { return share }
                next = items[item]?.parent
            }
            return nil
        }

        /// Whether a record is another one or below it.
        func isBelow(_ name: String, _ other: String) -> Bool {
            var next: String? = name
            var seen: Set<String> = []
            while let item = next, seen.insert(item).inserted {
                if item == other { return true }
                next = items[item]?.parent
            }
            return false
        }

        func permission(_ user: User, inShare share: String?) -> Permission {
            guard let person = share.flatMap({ shares[$0]?.people[user] }), person.status == .accepted else {
                return .none
            }
            return person.permission
        }

        func permission(_ user: User, _ name: String) -> Permission {
            permission(user, inShare: share(of: name))
        }

        func children(of name: String) -> [String] { items.filter { $0.value.parent == name }.map(\.key) }

        func share(ofRoot name: String) -> String? { shares.first { $0.value.root == name }?.key }
    }

    var zones: [ZoneKey: Zone] = [:]

    /// What somebody sees of a zone: records with their values, and shares with -1.
    func visible(_ user: User, _ key: ZoneKey) -> [String: Int] {
        guard let zone = zones[key] else { return [:] }
        var seen: [String: Int] = [:]
        let isOwner = key.owner == user
        for (name, item) in zone.items where isOwner || zone.permission(user, name) != .none {
            seen[name] = item.value
        }
        for name in zone.shares.keys where isOwner || zone.permission(user, inShare: name) != .none {
            seen[name] = -1
        }
        return seen
    }

    /// The zones of others that are open to somebody.
    func open(_ user: User) -> [ZoneKey] {
        zones.keys.filter { key in
            key.owner != user
                && zones[key]?.shares.keys.contains {
                    zones[key]?.permission(user, inShare: $0) != Permission.none
                } == true
        }.sorted()
    }
}
