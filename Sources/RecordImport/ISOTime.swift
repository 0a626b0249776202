/// Moments as text: ISO 8601, read and written without a calendar, which would cost more than the rest of a row.
package enum ISOTime {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Milliseconds since 1970 as `2026-11-21T10:00:00Z`, with milliseconds where there are any.
    package static func text(_ milliseconds: Int64) -> String {
        var (days, rest) = milliseconds.quotientAndRemainder(dividingBy: millisecondsPerDay)
        if rest < 0 {
            days -= 1
            rest += millisecondsPerDay
        }
        let (year, month, day) = date(ofDay: Int(days))
        let seconds = Int(rest / 1_000)
        var text = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T"
        text += "\(pad(seconds / 3_600, 2)):\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2))"
        if rest % 1_000 != 0 { text += "." + pad(Int(rest % 1_000), 3) }
        return text + "Z"
    }

    /// Reads a date, or a date with a time and perhaps a zone; without a zone it is UTC.
    ///
    /// A year has four digits or more, and perhaps a sign. Nil for anything else, and for what 64 bits cannot hold.
    package static func milliseconds(_ text: String) -> Int64? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.year(), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), let days = dayNumber(year, month, day)
        else { return nil }
        // The first day that 64 bits reach begins before the first millisecond.
        let start = Int128(days) * Int128(millisecondsPerDay)
        if reader.isAtEnd { return Int64(exactly: start) }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.digits(2),
            hour < 24, reader.take(":"), let minute = reader.digits(2), minute < 60
        else { return nil }
        var milliseconds = Int64(hour * 60 + minute) * 60_000
        if reader.take(":") {
            // A leap second falls together with the second after it.
            guard let second = reader.digits(2), second <= 60 else { return nil }
            milliseconds += Int64(second) * 1_000
            if reader.take(".") || reader.take(",") {
                guard let fraction = reader.fraction() else { return nil }
                milliseconds += Int64(fraction)
            }
        }
        guard let offset = reader.zoneMinutes(), reader.isAtEnd else { return nil }
        return Int64(exactly: start + Int128(milliseconds - Int64(offset) * 60_000))
    }

    /// Whether a text is a date with a time and a zone, which is hardly ever meant as anything else.
    package static func isComplete(_ text: String) -> Bool {
        let date = text.utf8.prefix { $0 != UInt8(ascii: "T") }
        guard date.count >= 10, text.utf8.count >= date.count + 7 else { return false }
        let hasZone = text.hasSuffix("Z") || text.utf8[date.endIndex...].contains { $0 == 0x2B || $0 == 0x2D }
        return hasZone && milliseconds(text) != nil
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let digits = String(value.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (value < 0 ? "-" : "") + zeros + digits
    }

    /// The day's number from 1970-01-01; nil for a day that the calendar lacks.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let days = days(before: year, month) + day - 1
        return date(ofDay: days) == (year, month, day) ? days : nil
    }

    /// Days from 1970-01-01 to the first of a month; years are counted from March so that the leap day is last.
    private static func days(before year: Int, _ month: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Walks the characters of a moment.
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        mutating func year() -> Int? {
            let sign = take("-") ? -1 : 1
            if sign > 0 { _ = take("+") }
            let count = bytes[position...].prefix { (0x30...0x39).contains($0) }.count
            // Nine digits reach as far as 64 bits of milliseconds do.
            guard (4...9).contains(count) else { return nil }
            return digits(count).map { sign * $0 }
        }

        mutating func digits(_ count: Int) -> Int? {
            guard position + count <= bytes.count else { return nil }
            var value = 0
            for _ in 0..<count {
                guard (0x30...0x39).contains(bytes[position]) else { return nil }
                value = value * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            return value
        }

        /// Milliseconds; finer digits are dropped.
        mutating func fraction() -> Int? {
            var value = 0
            var count = 0
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                if count < 3 { value = value * 10 + Int(bytes[position] - 0x30) }
                count += 1
                position += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 3)..<3 { value *= 10 }
            return value
        }

        mutating func zoneMinutes() -> Int? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let sign = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
            _ = take(":")
            guard let minutes = isAtEnd ? 0 : digits(2), minutes < 60 else { return nil }
            return sign * (hours * 60 + minutes)
        }
    }
}
