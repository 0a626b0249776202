internal import Logging

/// Writes a message of a format as `printf` has it, with `%@` for objects and `%{public}s` for what is shown.
///
/// Arguments are of any type, since Swift's texts are no `CVarArg` on Linux.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any...
) {
    log.write(type.level) { LogFormat(message.description).text(args) }
}

/// Writes a message of a format as `printf` has it.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: Any...
) {
    log.write(type.level) { LogFormat(message.description).text(args) }
}

/// Writes a message of the default level.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(OSLogType.default.level) { message.text } }

/// Writes a message.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType, _ message: OSLogMessage) {
    OSLog.default.write(logLevel.level) { message.text }
}

/// Writes a message.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType, log: OSLog, _ message: OSLogMessage) {
    log.write(logLevel.level) { message.text }
}
