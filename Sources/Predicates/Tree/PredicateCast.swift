internal import Foundation

/// The types that `CAST` knows, for values that are known when the text is read.
enum PredicateCast {
    /// How a type name is understood.
    enum Target {
        case date, number, decimal, double, string, data, uuid, url, set, dictionary
    }

    private static let targets: [String: Target] = [
        "NSDate": .date, "Date": .date, "NSNumber": .number, "NSDecimalNumber": .decimal,
        "Decimal": .decimal, "Double": .double, "NSString": .string, "String": .string, "NSData": .data,
        "Data": .data, "NSUUID": .uuid, "UUID": .uuid, "NSURL": .url, "URL": .url, "NSSet": .set,
        "NSDictionary": .dictionary,
    ]

    /// The target for a type name, or nil when it is unknown.
    static func target(_ name: String) -> Target? { targets[name] }

    /// The constant that the printer writes as `CAST(value, "type")`, or nil when it does not have that form.
    ///
    /// Only the forms that stand for a literal are computed here; any other cast stays a function and is
    /// computed when the predicate is evaluated.
    static func literal(_ value: PredicateValue, type: String) -> PredicateValue? {
        guard let target = target(type) else { return nil }
        switch (target, value) {
        case (.date, .int(let seconds)):
            return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case (.date, .double(let seconds)):
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.set, .list(let values)): return .set(Set(values))
        case (.dictionary, .list(let values)): return dictionary(values)
        case (_, .string(let text)): return literal(text, target: target)
        default: return nil
        }
    }

    private static func literal(_ text: String, target: Target) -> PredicateValue? {
        switch target {
        case .decimal: Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case .double: ["inf", "-inf", "nan"].contains(text) ? Double(text).map { .double($0) } : nil
        case .data: Data(base64Encoded: text).map { .data($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .url: URL(string: text).map { .url($0) }
        default: nil
        }
    }

    /// Keys and values that alternate; nil when a key is no string or a value is missing.
    private static func dictionary(_ values: [PredicateValue]) -> PredicateValue? {
        guard values.count.isMultiple(of: 2) else { return nil }
        var entries: [String: PredicateValue] = [:]
        for index in stride(from: 0, to: values.count, by: 2) {
            guard case .string(let key) = values[index] else { return nil }
            entries[key] = values[index + 1]
        }
        return .dictionary(entries)
    }
}
