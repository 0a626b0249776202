internal import Foundation

/// The payload of a push, as the service and Apple's write it: `aps` says what it looks like, `ck` what happened.
///
/// In `ck`, `qry` stands for a query, `fet` for a zone and `met` for a database; each has the subscription
/// (`sid`), the zone (`zid`, `zoid`) and the database (`dbs`).
struct ReceivedPayload {
    /// A dictionary of the payload; what is not there or has another type reads as nil.
    struct Part {
        let values: [String: Any]

        /// Takes a dictionary of any of the types that property lists and JSON come as; empty for anything else.
        init(_ any: Any?) {
            switch any {
            case let values as [String: Any]: self.values = values
            case let values as [AnyHashable: Any]:
                var named: [String: Any] = [:]
                for (key, value) in values { if let key = key.base as? String { named[key] = value } }
                self.values = named
            default: values = [:]
            }
        }

        func contains(_ key: String) -> Bool { values[key] != nil }
        func part(_ key: String) -> Part { Part(values[key]) }
        func text(_ key: String) -> String? { values[key] as? String }
        func texts(_ key: String) -> [String]? { (values[key] as? [Any])?.compactMap { $0 as? String } }

        func integer(_ key: String) -> Int? {
            (values[key] as? Int) ?? (values[key] as? NSNumber)?.intValue ?? text(key).flatMap { Int($0) }
        }
    }

    /// What the notification looks like.
    let aps: Part
    /// The alert; one that is only a text is its body.
    let alert: Part
    /// What happened.
    let event: Part
    let type: CKNotification.NotificationType
    private let cloud: Part

    /// Reads a payload; nil where CloudKit's part is missing or of no known kind.
    init?(_ dictionary: [AnyHashable: Any]) {
        let whole = Part(dictionary)
        cloud = whole.part("ck")
        aps = whole.part("aps")
        alert = aps.text("alert").map { Part(["body": $0]) } ?? aps.part("alert")
        if cloud.contains("qry") {
            (type, event) = (.query, cloud.part("qry"))
        } else if cloud.contains("fet") {
            (type, event) = (.recordZone, cloud.part("fet"))
        } else if cloud.contains("met") {
            (type, event) = (.database, cloud.part("met"))
        } else {
            return nil
        }
    }

    /// The text under a key of CloudKit's part.
    func text(_ key: String) -> String? { cloud.text(key) }

    /// The notification of the class that the payload is about.
    var notification: CKNotification {
        switch type {
        case .query: CKQueryNotification(self)
        case .recordZone: CKRecordZoneNotification(self)
        case .database, .readNotification: CKDatabaseNotification(self)
        }
    }

    /// Whether the record or the zone that the notification is about was cut out.
    var isPruned: Bool {
        switch type {
        case .query: !event.contains("rid")
        case .recordZone: !event.contains("zid")
        case .database, .readNotification: false
        }
    }

    /// The database: real pushes count private 1, public 2, shared 3; CloudKit JS writes 0 for public.
    var scope: CKDatabase.Scope {
        switch event.integer("dbs") {
        case 0, 2: .public
        case 3: .shared
        default: .private
        }
    }

    /// The zone, named as answers name it: the user's own zones belong to `CKCurrentUserDefaultName`.
    var zoneID: CKRecordZone.ID? {
        guard let name = event.text("zid") else { return nil }
        let owner = event.text("zoid")
        guard scope == .shared, let owner, owner != text("ckuserid") else {
            return CKRecordZone.ID(zoneName: name)
        }
        return CKRecordZone.ID(zoneName: name, ownerName: owner)
    }
}
