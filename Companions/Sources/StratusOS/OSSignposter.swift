internal import Logging

/// Marks moments and intervals.
///
/// There is no Instruments here: they are written to the log at the level trace, an interval's end with its length. Where
/// that level is off, which it is by default, they cost a comparison.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// Marks in a part of an app.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
    /// Marks in a part of an app.
    public init(subsystem: String, category: OSLog.Category) {
        log = OSLog(subsystem: subsystem, category: category)
    }
    /// Marks in a log.
    public init(logHandle: OSLog) { log = logHandle }
    /// Marks in a logger's log.
    public init(logger: Logger) { log = logger.handle }
    /// Marks in the default log.
    public init() { log = .default }

    /// Marks nothing.
    public static let disabled = OSSignposter(logHandle: .disabled)

    /// Whether anything is marked.
    public var isEnabled: Bool { log.signpostsEnabled }

    /// A number for an interval.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }
    /// The number of an object's interval.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID {
        OSSignpostID(log: log, object: object)
    }

    // MARK: Events

    /// Marks a moment.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {
        write("event", name, id, nil)
    }
    /// Marks a moment.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {
        write("event", name, id, message)
    }

    // MARK: Intervals

    /// Begins an interval.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState
    {
        write("begin", name, id, nil)
        return OSSignpostIntervalState(id: id)
    }
    /// Begins an interval.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        write("begin", name, id, message)
        return OSSignpostIntervalState(id: id)
    }

    /// Ends an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
        write("end after \(state.elapsed)", name, state.id, nil)
    }
    /// Ends an interval.
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata
    ) {
        write("end after \(state.elapsed)", name, state.id, message)
    }

    /// Marks the interval in which a closure runs.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id)
        defer { endInterval(name, state) }
        return try task()
    }
    /// Marks the interval in which a closure runs.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata,
        around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id, message)
        defer { endInterval(name, state) }
        return try task()
    }

    private func write(
        _ kind: @autoclosure () -> String, _ name: StaticString, _ id: OSSignpostID,
        _ message: SignpostMetadata?
    ) {
        log.write(.trace, metadata: ["signpost": "\(id.rawValue)"]) {
            "\(name) \(kind())" + (message.map { ": \($0.text)" } ?? "")
        }
    }
}

/// What a signpost says beside its name.
public typealias SignpostMetadata = OSLogMessage

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    /// The number of the interval.
    public let id: OSSignpostID
    private let began = ContinuousClock.now

    init(id: OSSignpostID) { self.id = id }

    /// The state of an interval that another began.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id: id)
    }

    var elapsed: Duration { ContinuousClock.now - began }
}

/// Marks a moment, or the beginning or end of an interval.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {
    log.write(.trace, metadata: ["signpost": "\(signpostID.rawValue)"]) { "\(name) \(type.word)" }
}

/// Marks a moment, or the beginning or end of an interval, with a message of a format as `printf` has it.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: Any...
) {
    log.write(.trace, metadata: ["signpost": "\(signpostID.rawValue)"]) {
        "\(name) \(type.word): \(LogFormat(format.description).text(arguments))"
    }
}

extension OSSignpostType {
    fileprivate var word: String {
        switch self {
        case .begin: "begin"
        case .end: "end"
        default: "event"
        }
    }
}
