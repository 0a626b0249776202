import Foundation
import Logging
import Synchronization
import Testing

@testable import StratusOS

/// Keeps what is logged.
private final class Kept: Sendable {
    let lines = Mutex<[String]>([])
}

private struct KeepingHandler: LogHandler {
    let kept: Kept
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel: Logging.Logger.Level = .debug
    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
        kept.lines.withLock { $0.append("\(event.level): \(event.message)") }
    }
}

private func text(_ message: OSLogMessage) -> String { message.text }

@Suite struct MessageTests {
    private struct Point: CustomStringConvertible { var description: String { "here" } }

    @Test func `Texts and objects are private, numbers are not`() {
        let name = "Ada"
        #expect(text("plain") == "plain")
        #expect(text("a \(name) b \(7) c \(true) d \(1.5)") == "a <private> b 7 c true d 1.500000")
        #expect(text("\(name, privacy: .public) \(7, privacy: .private)") == "Ada <private>")
        #expect(text("\(Point()) \(Point(), privacy: .public) \(Int.self)") == "<private> here Int")
        #expect(text("\(CocoaError(.fileNoSuchFile) as any Error)") == "<private>")
        let masked = text("\(name, privacy: .private(mask: .hash))")
        #expect(
            masked == text("\("Ada", privacy: .sensitive(mask: .hash))") && masked.hasPrefix("<mask.hash: '"))
        #expect(masked != text("\("Bob", privacy: .auto(mask: .hash))"))
        #expect(text("\(7, privacy: .auto(mask: .hash))") == "7")
    }

    @Test func `What may be missing, and lists`() {
        let zone: NSURL? = NSURL(string: "https://example.org")
        let (none, error): (NSError?, (any Error)?) = (nil, nil)
        #expect(text("\(zone, privacy: .public)") == "https://example.org")
        #expect(
            text("\(zone) \(none, privacy: .public) \(error, privacy: .public)") == "<private> (null) (null)")
        let names = ["a", "b"]
        #expect(
            text("\(names, privacy: .public) \(names) \(["a": 1], privacy: .public)")
                == #"["a", "b"] <private> ["a": 1]"#)
    }

    @Test func `Formats and alignments`() {
        #expect(text("\(255, format: .hex(includePrefix: true, uppercase: true))") == "0xFF")
        #expect(text("\(-5, format: .decimal(minDigits: 3))") == "-005")
        #expect(text("\(5, format: .decimal(explicitPositiveSign: true))") == "+5")
        #expect(text("\(8, format: .octal)") == "10")
        #expect(text("\(Int64.min)") == "-9223372036854775808")
        #expect(
            text("\(1.25, format: .fixed(precision: 1))|\(12.5, format: .exponential(precision: 2))")
                == "1.2|1.25e+01")
        #expect(text("\(Float(0.5), format: .hybrid)") == "0.5")
        #expect(text("\(true, format: .answer)") == "yes")
        #expect(text("[\("a", align: .left(columns: 3), privacy: .public)]") == "[a  ]")
        #expect(text("[\(7, align: .right(columns: 3))]") == "[  7]")
    }

    @Test func `Formats of os_log`() {
        func format(_ format: String, _ arguments: Any...) -> String { LogFormat(format).text(arguments) }
        #expect(format("%d of %{public}@ for %@ %%", 3, "ten", "Ada") == "3 of ten for <private> %")
        #expect(
            format("%{private}d %{public}s %5.2f|%-4d|%04x", 1, "s", 2.5, 7, 255)
                == "<private> s  2.50|7   |00ff")
        #expect(
            format("%lu %lld %zd %x", UInt.max, Int64.min, 5, Int32(-1))
                == "18446744073709551615 -9223372036854775808 5 ffffffff")
        #expect(format("%*d", 4, 7) == "   7")
        #expect(format("%d %@", "no number") == "no number <missing>")
        #expect(format("ends %") == "ends %")
    }

    @Test func `Values are not looked at when the level is off`() {
        let kept = Kept()
        // Tests of other modules log in this process as well.
        LoggingSystem.bootstrap { KeepingHandler(kept: $0 == "org.example.kept" ? kept : Kept()) }
        let log = OSLog(subsystem: "org.example.kept", category: "c")
        let logger = StratusOS.Logger(log)
        nonisolated(unsafe) var count = 0
        func next() -> Int {
            count += 1
            return count
        }
        logger.trace("\(next())")
        logger.debug("\(next())")
        logger.notice("n")
        logger.warning("w")
        logger.fault("f")
        os_log("old %d", log: log, type: .error, 5)
        os_log(.info, log: log, "new \(6)")
        os_signpost(.begin, log: log, name: "unseen")
        Logger(.disabled).fault("\(next())")
        #expect(count == 1)
        #expect(
            kept.lines.withLock { $0 } == [
                "debug: 1", "notice: n", "warning: w", "critical: f", "error: old 5", "info: new 6",
            ])
        #expect(
            !log.signpostsEnabled && log.isEnabled(type: .debug) && !OSLog.disabled.isEnabled(type: .fault))
    }
}
