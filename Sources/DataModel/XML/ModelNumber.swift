internal import Foundation

/// Numbers as text, whole texts only and the same in every locale.
enum ModelNumber {
    static func integer(_ text: String) -> Int64? {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let value = Int64(trimmed) { return value }
        // Tools write `0.0` where the type was changed after the value was typed.
        guard let value = double(trimmed) else { return nil }
        return Int64(exactly: value)
    }

    static func double(_ text: String) -> Double? {
        guard let value = Double(text.trimmingCharacters(in: .whitespaces)), !value.isNaN else { return nil }
        return value
    }

    static func decimal(_ text: String) -> Decimal? {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        // Decimal(string:) stops at the first odd letter, so what Double refuses is refused first.
        guard let value = Double(trimmed), value.isFinite, !trimmed.lowercased().hasPrefix("0x") else {
            return nil
        }
        return Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX"))
    }
}
