internal import Foundation
internal import Predicates
internal import RecordModel
internal import RecordWire

extension CKSubscription {
    /// The subscription as requests carry it.
    ///
    /// - Throws: `CKError.invalidArguments` for a predicate that no service can answer and for a class of which the service
    ///   has no subscriptions, `limitExceeded` for a predicate whose text is too long.
    func wire(isStrict: Bool) throws(CKError) -> SubscriptionDictionary {
        var wire: SubscriptionDictionary
        switch self {
        case let subscription as CKQuerySubscription:
            wire = SubscriptionDictionary(kind: .query, subscriptionID: subscriptionID)
            let query = CKQuery(recordType: subscription.recordType ?? "", predicate: subscription.predicate)
            wire.query = try QueryTranslation(isStrict: isStrict).translate(query)
            wire.zoneID = subscription.zoneID?.wire
            wire.zoneWide = subscription.zoneID == nil
            let options = subscription.querySubscriptionOptions
            if options.contains(.firesOnRecordCreation) { wire.firesOn.append(.create) }
            if options.contains(.firesOnRecordUpdate) { wire.firesOn.append(.update) }
            if options.contains(.firesOnRecordDeletion) { wire.firesOn.append(.delete) }
            wire.firesOnce = options.contains(.firesOnce)
        case let subscription as CKRecordZoneSubscription:
            wire = SubscriptionDictionary(kind: .zone, subscriptionID: subscriptionID)
            wire.zoneID = subscription.zoneID.wire
            wire.recordType = subscription.recordType
        case let subscription as CKDatabaseSubscription:
            wire = SubscriptionDictionary(kind: .database, subscriptionID: subscriptionID)
            wire.recordType = subscription.recordType
        default:
            throw CKError(.invalidArguments, "A subscription of the class \(type(of: self)) cannot be saved.")
        }
        wire.notificationInfo = notificationInfo?.settings.wire
        return wire
    }

    /// The subscription that an answer gives.
    ///
    /// - Throws: `CKError.internalError` where it says nothing that this client can read.
    static func from(_ wire: SubscriptionDictionary, scope: CKDatabase.Scope) throws(CKError)
        -> CKSubscription
    {
        let subscription: CKSubscription
        let name = wire.subscriptionID ?? ""
        switch wire.kind {
        case .query:
            guard let query = wire.query, let predicate = PredicateReader.predicate(of: query) else {
                throw CKError(
                    .internalError, "The query of the subscription '\(name)' cannot be read by this client.")
            }
            var options: CKQuerySubscription.Options = wire.firesOnce ? [.firesOnce] : []
            for trigger in wire.firesOn {
                switch trigger {
                case .create: options.insert(.firesOnRecordCreation)
                case .update: options.insert(.firesOnRecordUpdate)
                case .delete: options.insert(.firesOnRecordDeletion)
                }
            }
            let made = CKQuerySubscription(
                recordType: query.recordType, predicate: predicate, subscriptionID: name, options: options)
            made.zoneID = wire.zoneID.map { CKRecordZoneID.from($0, scope: scope) }
            subscription = made
        case .zone:
            guard let zone = wire.zoneID else {
                throw CKError(.internalError, "The subscription '\(name)' has no zone.")
            }
            let made = CKRecordZoneSubscription(
                zoneID: CKRecordZoneID.from(zone, scope: scope), subscriptionID: name)
            made.recordType = wire.recordType
            subscription = made
        case .database:
            let made = CKDatabaseSubscription(subscriptionID: name)
            made.recordType = wire.recordType
            subscription = made
        }
        subscription.notificationInfo = wire.notificationInfo.map { CKNotificationInfo(.init(wire: $0)) }
        return subscription
    }
}

/// Makes predicates of what requests carry.
private enum PredicateReader {
    /// The condition of a query; nil where it has a filter that no predicate says.
    static func predicate(of query: QueryDictionary) -> NSPredicate? {
        var parts: [NSPredicate] = []
        for filter in query.filterBy {
            guard let part = predicate(of: filter) else { return nil }
            parts.append(part)
        }
        if let text = query.predicate {
            guard let tree = try? PredicateTree(parsing: text) else { return nil }
            parts.append(NSPredicate(format: tree.description))
        }
        if parts.isEmpty { return NSPredicate(value: true) }
        return parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }

    private static func predicate(of filter: FilterDictionary) -> NSPredicate? {
        let name: String
        switch filter.selector {
        case .field(let field): name = field
        case .system(let field): name = field.rawValue
        case .allText: return nil
        }
        let value = try? FieldValue.decode(
            filter.value, expected: nil, allowsEncrypted: true, numbersAsStrings: true)
        guard let value else { return nil }
        let key = PredicateKeyPath.escaped(name)
        let text = value.predicateValue.description
        switch filter.comparator {
        case .equals: return NSPredicate(format: "\(key) == \(text)")
        case .notEquals: return NSPredicate(format: "\(key) != \(text)")
        case .lessThan: return NSPredicate(format: "\(key) < \(text)")
        case .lessThanOrEquals: return NSPredicate(format: "\(key) <= \(text)")
        case .greaterThan: return NSPredicate(format: "\(key) > \(text)")
        case .greaterThanOrEquals: return NSPredicate(format: "\(key) >= \(text)")
        case .in: return NSPredicate(format: "\(key) IN \(text)")
        case .notIn: return NSPredicate(format: "NOT \(key) IN \(text)")
        case .beginsWith: return NSPredicate(format: "\(key) BEGINSWITH \(text)")
        case .notBeginsWith: return NSPredicate(format: "NOT \(key) BEGINSWITH \(text)")
        case .listContains: return NSPredicate(format: "\(key) CONTAINS \(text)")
        case .notListContains: return NSPredicate(format: "NOT \(key) CONTAINS \(text)")
        default: return nil
        }
    }
}

/// The names of fields in predicate text.
private enum PredicateKeyPath {
    static func escaped(_ name: String) -> String { name }
}

extension CKNotificationInfo.Settings {
    /// What is set, by the protocol's names.
    var wire: JSONObject? {
        var members: [(key: String, value: JSONValue)] = []
        let texts: [(String, String?)] = [
            ("alertBody", alertBody), ("alertLocalizationKey", alertLocalizationKey), ("title", title),
            ("titleLocalizationKey", titleLocalizationKey), ("subtitle", subtitle),
            ("subtitleLocalizationKey", subtitleLocalizationKey),
            ("alertActionLocalizationKey", alertActionLocalizationKey),
            ("alertLaunchImage", alertLaunchImage),
            ("soundName", soundName), ("category", category), ("collapseIdKey", collapseIDKey),
        ]
        for case (let name, let text?) in texts { members.append((name, .string(text))) }
        let lists: [(String, [String]?)] = [
            ("alertLocalizationArgs", alertLocalizationArgs),
            ("titleLocalizationArgs", titleLocalizationArgs),
            ("subtitleLocalizationArgs", subtitleLocalizationArgs), ("additionalFields", desiredKeys),
        ]
        for case (let name, let list?) in lists { members.append((name, .array(list.map { .string($0) }))) }
        let flags = [
            ("shouldBadge", shouldBadge), ("shouldSendContentAvailable", shouldSendContentAvailable),
            ("shouldSendMutableContent", shouldSendMutableContent),
        ]
        for (name, isSet) in flags where isSet { members.append((name, .bool(true))) }
        return JSONObject(members)
    }

    /// Reads what an answer has.
    init(wire: JSONObject) {
        func list(_ name: String) -> [String]? { wire[name]?.array?.compactMap(\.string) }
        self.init()
        alertBody = wire["alertBody"]?.string
        alertLocalizationKey = wire["alertLocalizationKey"]?.string
        alertLocalizationArgs = list("alertLocalizationArgs")
        title = wire["title"]?.string
        titleLocalizationKey = wire["titleLocalizationKey"]?.string
        titleLocalizationArgs = list("titleLocalizationArgs")
        subtitle = wire["subtitle"]?.string
        subtitleLocalizationKey = wire["subtitleLocalizationKey"]?.string
        subtitleLocalizationArgs = list("subtitleLocalizationArgs")
        alertActionLocalizationKey = wire["alertActionLocalizationKey"]?.string
        alertLaunchImage = wire["alertLaunchImage"]?.string
        soundName = wire["soundName"]?.string
        desiredKeys = list("additionalFields")
        shouldBadge = wire["shouldBadge"]?.bool ?? false
        shouldSendContentAvailable = wire["shouldSendContentAvailable"]?.bool ?? false
        shouldSendMutableContent = wire["shouldSendMutableContent"]?.bool ?? false
        category = wire["category"]?.string
        collapseIDKey = wire["collapseIdKey"]?.string
    }
}
