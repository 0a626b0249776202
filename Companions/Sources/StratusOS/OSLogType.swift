internal import Logging

/// How severe a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the level.
    public var rawValue: UInt8

    /// Makes a level of Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Makes a level of Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// What is worth knowing of.
    public static let `default` = OSLogType(0x00)
    /// What helps, and is not essential.
    public static let info = OSLogType(0x01)
    /// What helps while developing.
    public static let debug = OSLogType(0x02)
    /// An error of the process.
    public static let error = OSLogType(0x10)
    /// A fault of the system, or of several processes.
    public static let fault = OSLogType(0x11)

    /// The level of swift-log that stands for it.
    var level: Logging.Logger.Level {
        switch self {
        case .info: .info
        case .debug: .debug
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}
