import RecordModel
import RecordStorage
import RecordWire

/// What a receiver is sent, in the form of pushes (Documentation/Protocol.md, 'Notifications').
struct NotificationPayload {
    let tenant: Tenant
    let user: String
    let scope: DatabaseScope
    /// The record name of the owner of the zones; nil for the user.
    var owner: String?
    let id: String

    /// The number of a database's scope in pushes.
    private var scopeNumber: Int {
        switch scope {
        case .private: 1
        case .public: 2
        case .shared: 3
        }
    }

    /// How much of a notification is left out where there is no room for it.
    private enum Length {
        case whole
        /// Without `af`.
        case withoutFields
        /// Also without the alert: it wakes the app, which asks.
        case quiet
    }

    /// The notification of a change for which a subscription fired.
    ///
    /// - Parameter mostBytes: the most that it may have; what is left out for it is said by `pruned`. Nil for any.
    func json(
        _ plan: SubscriptionPlan, _ change: FollowedChange, _ reason: SubscriptionPlan.Reason,
        mostBytes: Int? = nil
    ) -> [UInt8] {
        for length in [Length.whole, .withoutFields] {
            let json = json(plan, change, reason, length)
            if json.count <= mostBytes ?? .max { return json }
        }
        return json(plan, change, reason, .quiet)
    }

    private func json(
        _ plan: SubscriptionPlan, _ change: FollowedChange, _ reason: SubscriptionPlan.Reason,
        _ length: Length
    ) -> [UInt8] {
        let record = change.after ?? change.before
        return JSONWriter.text { writer in
            writer.beginObject()
            if length == .quiet {
                writeQuiet(to: &writer)
            } else {
                writeAlert(plan.definition.notificationInfo ?? JSONObject(), record, to: &writer)
            }
            beginCloud(to: &writer)
            if length != .whole { writer.member("pruned", true) }
            switch plan.definition.kind {
            case .query:
                writer.key("qry")
                writer.beginObject()
                writer.member("dbs", scopeNumber)
                writer.member("fo", reason.rawValue)
                writer.member("rid", change.logged.name)
            case .zone:
                writer.key("fet")
                writer.beginObject()
                writer.member("dbs", scopeNumber)
            case .database:
                writer.key("met")
                writer.beginObject()
                writer.member("dbs", scopeNumber)
            }
            writer.member("sid", plan.row.name)
            writer.member("zid", change.logged.zoneName)
            writer.member("zoid", scope == .public ? "_defaultOwner" : owner ?? user)
            if plan.definition.kind == .query, length == .whole { writeFields(plan, record, to: &writer) }
            writer.endObject()
            writer.endObject()
            writer.endObject()
        }
    }

    /// What a receiver is told whose cursor is older than the log: to read everything again.
    func startAgain() -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writeQuiet(to: &writer)
            beginCloud(to: &writer)
            writer.member("startAgain", true)
            writer.key("met")
            writer.beginObject()
            writer.member("dbs", scopeNumber)
            writer.endObject()
            writer.endObject()
            writer.endObject()
        }
    }

    /// Something to look at.
    func test() -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.key("aps")
            writer.beginObject()
            writer.key("alert")
            writer.beginObject()
            writer.member("title", "Test")
            writer.member("body", "Notifications arrive here.")
            writer.endObject()
            writer.endObject()
            beginCloud(to: &writer)
            writer.member("test", true)
            writer.endObject()
            writer.endObject()
        }
    }

    private func writeQuiet(to writer: inout JSONWriter) {
        writer.key("aps")
        writer.beginObject()
        writer.member("content-available", 1)
        writer.endObject()
    }

    private func beginCloud(to writer: inout JSONWriter) {
        writer.key("ck")
        writer.beginObject()
        writer.member("ce", 2)
        writer.member("cid", tenant.container.rawValue)
        writer.member("ckuserid", user)
        writer.member("nid", id)
    }

    private func writeFields(_ plan: SubscriptionPlan, _ record: LoggedRecord?, to writer: inout JSONWriter) {
        guard let names = try? plan.definition.notificationInfo?.strings("additionalFields"), let record
        else {
            return
        }
        writer.key("af")
        writer.beginObject()
        for name in names {
            guard let value = record.fields[name]?.plainJSON else { continue }
            writer.key(text: name)
            writer.value(value)
        }
        writer.endObject()
    }

    private func writeAlert(_ info: JSONObject, _ record: LoggedRecord?, to writer: inout JSONWriter) {
        writer.key("aps")
        writer.beginObject()
        if info["shouldSendContentAvailable"]?.bool == true { writer.member("content-available", 1) }
        if info["shouldSendMutableContent"]?.bool == true { writer.member("mutable-content", 1) }
        let texts: [(StaticString, String)] = [
            ("title", "title"), ("title-loc-key", "titleLocalizationKey"), ("subtitle", "subtitle"),
            ("subtitle-loc-key", "subtitleLocalizationKey"), ("body", "alertBody"),
            ("loc-key", "alertLocalizationKey"), ("action-loc-key", "alertActionLocalizationKey"),
            ("launch-image", "alertLaunchImage"),
        ]
        let lists: [(StaticString, String)] = [
            ("title-loc-args", "titleLocalizationArgs"), ("subtitle-loc-args", "subtitleLocalizationArgs"),
            ("loc-args", "alertLocalizationArgs"),
        ]
        if (texts + lists).contains(where: { info[$0.1] != nil }) {
            writer.key("alert")
            writer.beginObject()
            for (name, key) in texts { writer.member(name, info[key]?.string) }
            for (name, key) in lists {
                // The arguments are the values of the fields that are named.
                guard let names = try? info.strings(key) else { continue }
                writer.member(name, names.map { record?.fields[$0]?.plainText ?? "" })
            }
            writer.endObject()
        }
        if info["shouldBadge"]?.bool == true { writer.member("badge", 1) }
        writer.member("sound", info["soundName"]?.string)
        writer.member("category", info["category"]?.string)
        writer.endObject()
    }
}

extension FieldValue {
    /// The value as a notification carries it: a text or a number; nil for values that are neither.
    fileprivate var plainJSON: JSONValue? {
        switch self {
        case .string(let text): .string(text)
        case .int64(let value), .timestamp(let value): .int(value)
        case .double(let value): .double(value)
        case .reference(let reference): .string(reference.recordName)
        case .bytes, .asset, .location, .list: nil
        }
    }

    /// The value as an argument of a localised text.
    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .int64(let value), .timestamp(let value): String(value)
        case .double(let value): String(value)
        case .reference(let reference): reference.recordName
        case .bytes, .asset, .location, .list: nil
        }
    }
}
