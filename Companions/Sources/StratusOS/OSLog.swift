public import Foundation
public import Logging

/// Where messages go: a subsystem and a category.
///
/// Messages are written by swift-log: its label is the subsystem, and its metadata has the category. What an app gives
/// `LoggingSystem.bootstrap` before its first message decides where they appear; by default that is standard error, from
/// the level info on.
public final class OSLog: NSObject, Sendable {
    /// A category with a meaning of its own to Apple's tools.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String
        /// Makes a category of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Points of interest in time.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// Signposts that record backtraces on Apple's platforms.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The same, with every signpost.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    /// The log of messages that name none.
    public static let `default` = OSLog(label: "default", category: nil, isDisabled: false)
    /// A log that drops everything.
    public static let disabled = OSLog(label: "disabled", category: nil, isDisabled: true)

    /// The logger of swift-log that writes the messages.
    public let logger: Logging.Logger
    private let isDisabled: Bool

    /// Makes a log for a part of an app.
    public convenience init(subsystem: String, category: String) {
        self.init(label: subsystem, category: category, isDisabled: false)
    }

    /// Makes a log for a part of an app.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    private init(label: String, category: String?, isDisabled: Bool) {
        var logger = Logging.Logger(label: label)
        if let category { logger[metadataKey: "category"] = .string(category) }
        self.logger = logger
        self.isDisabled = isDisabled
    }

    /// Whether a message of a level would be written.
    public func isEnabled(type: OSLogType) -> Bool { isEnabled(type.level) }

    /// Whether signposts are written: at the level trace.
    public var signpostsEnabled: Bool { isEnabled(.trace) }

    func isEnabled(_ level: Logging.Logger.Level) -> Bool { !isDisabled && level >= logger.logLevel }

    /// Writes a message where its level is on; only then are its values looked at.
    func write(
        _ level: Logging.Logger.Level, metadata: Logging.Logger.Metadata? = nil, _ text: () -> String
    ) {
        guard isEnabled(level) else { return }
        let text = text()
        logger.log(level: level, "\(text)", metadata: metadata)
    }
}
