import RecordImport
import RecordModel

/// Numbers, sizes and times as people read them.
enum Format {
    /// `20,000`.
    static func grouped(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// `12 s`, `3 min 20 s`, `2 h 5 min`.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 360_000 else { return "a long time" }
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// `1.5 MiB`.
    static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        for unit in ["bytes", "KiB", "MiB", "GiB"] {
            if value < 1_024 {
                return unit == "bytes" ? "\(count) bytes" : "\(Self.oneDecimal(value)) \(unit)"
            }
            value /= 1_024
        }
        return "\(Self.oneDecimal(value)) TiB"
    }

    /// Milliseconds since 1970 as ISO 8601 in UTC.
    static func time(_ milliseconds: Int64) -> String { ISOTime.text(milliseconds) }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
