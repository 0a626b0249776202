public import Logging
import RecordWire

/// swift-log's way into the same lines as requests.
public struct StratusLogHandler: LogHandler {
    private let sink: LogSink
    private let format: LogFormat
    private let label: String

    /// The level below which nothing is logged.
    public var logLevel: Logger.Level
    /// What is logged with every line.
    public var metadata: Logger.Metadata = [:]

    /// Makes a handler that writes to a sink.
    public init(label: String, sink: LogSink, format: LogFormat, level: Logger.Level) {
        self.label = label
        self.sink = sink
        self.format = format
        logLevel = level
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { _, new in new }
        switch format {
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("time", LogTime.now())
            writer.member("level", event.level.rawValue)
            writer.member("message", "\(event.message)")
            writer.member("logger", label)
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
                writer.key(text: key)
                writer.string("\(value)")
            }
            writer.endObject()
            sink.write(LogText.escaped(json: writer.bytes) + [0x0A])
        case .text:
            var line = "\(LogTime.now()) \(event.level.rawValue) \(event.message)"
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
            sink.write(LogText.escaped(line) + [0x0A])
        }
    }
}
