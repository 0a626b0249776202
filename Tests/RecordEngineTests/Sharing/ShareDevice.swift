import RecordModel
import RecordWire
import TestSupport

/// What one user's device has: copies of the zones that are shared with the user, and of their own, kept by the change feeds alone.
struct ShareDevice {
    let user: Int
    private var databaseTokens: [DatabaseScope: String] = [:]
    private var zoneTokens: [ShareModel.ZoneKey: String] = [:]
    private(set) var zones: [ShareModel.ZoneKey: [String: Int]] = [:]
    /// How many feeds had to begin from nothing.
    private(set) var restarts = 0

    init(user: Int) { self.user = user }

    /// Fetches everything that changed.
    mutating func sync(_ world: ShareWorld) async throws {
        for scope in [DatabaseScope.private, .shared] { try await sync(scope, world) }
    }

    private mutating func sync(_ scope: DatabaseScope, _ world: ShareWorld) async throws {
        var moreComing = true
        while moreComing {
            let token = databaseTokens[scope].map { #""syncToken":"\#($0)","# } ?? ""
            let answer = try await world.send(
                .changesDatabase, #"{\#(token)"resultsLimit":2}"#, as: user, in: scope)
            if answer.code == "BAD_REQUEST", databaseTokens[scope] != nil {
                databaseTokens[scope] = nil
                restarts += 1
                for key in zones.keys where (key.owner == user) == (scope == .private) { forget(key) }
                continue
            }
            world.expect(answer.status == 200, "the database's changes", answer)
            guard answer.status == 200 else { return }
            for zone in answer.zones {
                guard let key = Self.key(zone, user) else { continue }
                forget(key, unless: zone["deleted"] == false)
                if zone["deleted"] == false { try await sync(key, world) }
            }
            databaseTokens[scope] = answer.json["syncToken"].string
            moreComing = answer.json["moreComing"] == true
        }
    }

    private mutating func forget(_ key: ShareModel.ZoneKey, unless isThere: Bool = false) {
        guard !isThere else { return }
        zones[key] = nil
        zoneTokens[key] = nil
    }

    private static func key(_ zone: JSONValue, _ user: Int) -> ShareModel.ZoneKey? {
        guard let name = zone["zoneID"]["zoneName"].string else { return nil }
        let owner = zone["zoneID"]["ownerRecordName"].string ?? ShareWorld.name(user)
        return (0..<ShareWorld.users).first { ShareWorld.name($0) == owner }.map {
            ShareModel.ZoneKey(owner: $0, name: name)
        }
    }

    private mutating func sync(_ key: ShareModel.ZoneKey, _ world: ShareWorld) async throws {
        var moreComing = true
        while moreComing {
            let token = zoneTokens[key].map { #","syncToken":"\#($0)""# } ?? ""
            let answer = try await world.send(
                .changesZone,
                #"{"zones":[{"zoneID":\#(ShareWorld.zoneID(key, user)),"resultsLimit":3\#(token)}]}"#,
                as: user,
                in: ShareWorld.scope(key, user))
            let zone = answer.zones.first ?? .null
            switch zone["serverErrorCode"].string {
            case nil: break
            case "BAD_REQUEST" where zoneTokens[key] != nil:
                forget(key)
                restarts += 1
                continue
            case "ZONE_NOT_FOUND": return forget(key)
            default:
                world.expect(false, "u\(user)'s changes of \(key)", answer)
                return
            }
            for record in zone["records"].elements {
                let name = record["recordName"].string ?? ""
                let isDeleted = record["deleted"] == true
                let value = record["fields"]["n"]["value"].int.map { Int($0) } ?? -1
                if zones[key] == nil { zones[key] = [:] }
                zones[key]?[name] = isDeleted ? nil : value
            }
            if zones[key] == nil { zones[key] = [:] }
            zoneTokens[key] = zone["syncToken"].string
            moreComing = zone["moreComing"] == true
        }
    }
}
