import Foundation

/// What templates show: names and values, nested.
enum Model {
    /// A moment for the template `time`: in the reader's time zone where scripts run, in UTC elsewhere.
    static func time(_ milliseconds: Int64) -> [String: Any] {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return ["ms": milliseconds, "iso": date.formatted(.iso8601)]
    }

    /// The same without what is nil: a template would take a nil in an `Any` for something.
    static func cleaned(_ model: [String: Any]) -> [String: Any] {
        model.compactMapValues(cleaned)
    }

    private static func cleaned(_ value: Any) -> Any? {
        if let optional = value as? any OptionalValue { return optional.content.flatMap(cleaned) }
        if let model = value as? [String: Any] { return cleaned(model) }
        if let models = value as? [[String: Any]] { return models.map(cleaned) }
        return value
    }
}

private protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var content: Any? { self }
}
