import Foundation
import Logging
public import RecordEngine
public import RecordModel
import RecordStorage
import RecordWire

/// One structured line for each request.
///
/// The line has what is needed to find and count requests, and nothing of what records hold; tokens are in no
/// line.
public struct RequestLog: Sendable {
    /// What is logged of a request.
    public struct Entry: Sendable {
        /// The request's id.
        public let uuid: RequestID
        /// The id as text.
        public let id: String
        /// When it came, in milliseconds since 1970.
        public let time: Int64
        /// The HTTP method.
        public var method: String
        /// The endpoint, which is one of few; never the address that was asked for.
        public var route = "none"
        /// The address, for pages only.
        public var path: String?
        /// The container and environment.
        public var tenant: Tenant?
        /// The database.
        public var scope: DatabaseScope?
        /// The HTTP status.
        public var status = 0
        /// The lengths of the two bodies.
        public var bytesIn = 0
        public var bytesOut = 0
        /// From the head of the request to the answer.
        public var duration: Duration = .zero
        /// What the service tells.
        public var trace = ServiceTrace()
        /// The program that sent it, as it names itself; at most `Limits/userAgentCharacters`.
        public var userAgent: String?
        /// Whether it is one that a client's app sends, and not a probe, an operator's page or a preflight.
        public var isOfClients = false
        /// Whether it changed nothing although it was posted.
        public var isLook = false

        init(id: RequestID, method: String, time: Int64) {
            uuid = id
            self.id = id.description
            self.method = method
            self.time = time
        }

        /// The duration in milliseconds.
        public var milliseconds: Double { duration / .milliseconds(1) }

        /// The duration in whole microseconds.
        var microseconds: UInt64 {
            let (seconds, attoseconds) = duration.components
            return UInt64(max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        }
    }

    private let sink: LogSink
    private let format: LogFormat
    private let isOn: Bool

    /// Makes a log that writes to a sink.
    public init(sink: LogSink, format: LogFormat, isOn: Bool = true) {
        self.sink = sink
        self.format = format
        self.isOn = isOn
    }

    /// How many lines were lost.
    var lostLines: Int { sink.lost }

    /// What else is to be said goes into the same lines.
    func logger(label: String, level: Logger.Level) -> Logger {
        Logger(label: label) { StratusLogHandler(label: $0, sink: sink, format: format, level: level) }
    }

    func write(_ entry: Entry) {
        // A failure of ours is logged even when requests are not.
        guard isOn || entry.status >= 500 else { return }
        sink.write(format == .json ? Self.json(entry) : Self.text(entry))
    }

    private static func json(_ entry: Entry) -> [UInt8] {
        var writer = JSONWriter(reserving: 400)
        writer.beginObject()
        writer.member("time", LogTime.now())
        writer.member("level", entry.status >= 500 ? "error" : "info")
        writer.member("message", "request")
        writer.member("id", entry.id)
        writer.member("method", entry.method)
        writer.member("route", entry.route)
        writer.member("path", entry.path)
        writer.member("container", entry.tenant?.container.rawValue)
        writer.member("environment", entry.tenant?.environment.rawValue)
        writer.member("database", entry.scope?.rawValue)
        writer.member("status", entry.status)
        writer.member("code", entry.trace.code?.description)
        writer.key("ms")
        writer.double((entry.milliseconds * 1000).rounded() / 1000)
        writer.member("user", entry.trace.user)
        writer.member("items", entry.trace.items > 0 ? entry.trace.items : nil)
        writer.member("failedItems", entry.trace.failedItems > 0 ? entry.trace.failedItems : nil)
        writer.member("plan", entry.trace.plan?.rawValue)
        writer.member("agent", entry.userAgent)
        writer.member("bytesIn", entry.bytesIn)
        writer.member("bytesOut", entry.bytesOut)
        if let error = entry.trace.error { writer.member("error", String(describing: error)) }
        writer.endObject()
        var line = LogText.escaped(json: writer.bytes)
        line.append(0x0A)
        return line
    }

    private static func text(_ entry: Entry) -> [UInt8] {
        var line =
            "\(LogTime.now()) \(entry.status) \(entry.route == "page" ? entry.path ?? "" : entry.route)"
        line += String(format: " %.2f ms", entry.milliseconds)
        if let tenant = entry.tenant { line += " \(tenant)/\(entry.scope?.rawValue ?? "")" }
        if let code = entry.trace.code { line += " \(code)" }
        if let user = entry.trace.user { line += " user=\(user)" }
        if entry.trace.items > 0 { line += " items=\(entry.trace.items)" }
        if entry.trace.failedItems > 0 { line += " failed=\(entry.trace.failedItems)" }
        if let plan = entry.trace.plan { line += " plan=\(plan.rawValue)" }
        line += " in=\(entry.bytesIn) out=\(entry.bytesOut) id=\(entry.id)"
        if let error = entry.trace.error {
            // One line a request, whatever the error says.
            line +=
                " error=\(String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " | "))"
        }
        var bytes = LogText.escaped(line)
        bytes.append(0x0A)
        return bytes
    }
}

/// Times in log lines: ISO 8601 in UTC with milliseconds.
enum LogTime {
    /// Milliseconds since 1970.
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    static func now() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        var seconds = time.tv_sec
        gmtime_r(&seconds, &parts)
        let values: [(Int, Int, UInt8)] = [
            (Int(parts.tm_year) + 1900, 4, 0x2D), (Int(parts.tm_mon) + 1, 2, 0x2D),
            (Int(parts.tm_mday), 2, 0x54),
            (Int(parts.tm_hour), 2, 0x3A), (Int(parts.tm_min), 2, 0x3A), (Int(parts.tm_sec), 2, 0x2E),
            (time.tv_nsec / 1_000_000, 3, 0x5A),
        ]
        return String(unsafeUninitializedCapacity: 24) { buffer in
            var position = 0
            for (value, width, end) in values {
                var rest = value
                for offset in stride(from: width - 1, through: 0, by: -1) {
                    buffer[position + offset] = 0x30 + UInt8(rest % 10)
                    rest /= 10
                }
                buffer[position + width] = end
                position += width + 1
            }
            return position
        }
    }
}
