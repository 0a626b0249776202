/// Numbers as people read them.
enum NumberText {
    /// `1.4 MiB`, `312 bytes`.
    static func bytes(_ count: Int64) -> String {
        if count == 1 { return "1 byte" }
        if count < 1_024 { return "\(count) bytes" }
        var value = Double(count)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1_024 {
            value /= 1_024
            unit = next
        }
        let tenths = (value * 10).rounded() / 10
        return tenths < 10 ? "\(tenths) \(unit)" : "\(Int(value.rounded())) \(unit)"
    }

    /// `12,345`
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
