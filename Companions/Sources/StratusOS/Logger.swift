internal import Logging

/// Writes messages of a part of an app.
///
/// Private values are redacted as ``OSLogPrivacy`` says. Where messages appear: see ``OSLog``.
public struct Logger: Sendable {
    private let log: OSLog

    /// Writes to the default log.
    public init() { log = .default }

    /// Writes for a subsystem, which is a reversed domain name, and a category of it.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Writes to a log.
    public init(_ logObj: OSLog) { log = logObj }

    var handle: OSLog { log }

    /// Writes a message of the default level.
    public func log(_ message: OSLogMessage) { write(.default, message) }
    /// Writes a message.
    public func log(level: OSLogType, _ message: OSLogMessage) { write(level, message) }
    /// Writes a message of the level trace of swift-log.
    public func trace(_ message: OSLogMessage) { log.write(.trace) { message.text } }
    /// Writes a message of the level debug.
    public func debug(_ message: OSLogMessage) { write(.debug, message) }
    /// Writes a message of the level info.
    public func info(_ message: OSLogMessage) { write(.info, message) }
    /// Writes a message of the default level.
    public func notice(_ message: OSLogMessage) { write(.default, message) }
    /// Writes a message of the level warning of swift-log.
    public func warning(_ message: OSLogMessage) { log.write(.warning) { message.text } }
    /// Writes a message of the level error.
    public func error(_ message: OSLogMessage) { write(.error, message) }
    /// Writes a message of the level fault.
    public func critical(_ message: OSLogMessage) { write(.fault, message) }
    /// Writes a message of the level fault.
    public func fault(_ message: OSLogMessage) { write(.fault, message) }

    private func write(_ type: OSLogType, _ message: OSLogMessage) {
        log.write(type.level) { message.text }
    }
}
