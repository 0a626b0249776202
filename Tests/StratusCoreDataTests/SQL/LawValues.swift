import Foundation
import TestSupport

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Values that are likely to show a difference: nothing, extremes, texts of many scripts.
enum LawValues {
    static let texts = [
        "", "a", "A", "b", "abc", "Abc", "ABC", "abcd", "äpfel", "Äpfel", "a\u{308}pfel", "Apfel", "apfel",
        "ß", "ss", "SS", "İ", "i", "I", "ı", "é", "e\u{301}", "E", "😀", "😀b", "👨‍👩‍👧", "a*b", "a?b", "*",
        "%", "_", "\\", "a\nb", "nul\u{0}x", "\u{10FFFF}", "\u{D7FF}", "ﬁ", "fi", "日本", "z", "Ω", "ω", "5",
        "12",
    ]

    static func value(_ attribute: NSAttributeDescription, _ random: inout Random) -> Any? {
        if random.oneIn(5) { return nil }
        if let composite = attribute as? NSCompositeAttributeDescription {
            var parts: [String: Any] = [:]
            for element in composite.elements { parts[element.name] = value(element, &random) }
            return parts
        }
        switch attribute.attributeType {
        case .integer16AttributeType: return random.int(-3...6)
        case .integer32AttributeType: return random.int(-5...40)
        case .integer64AttributeType: return random.pick(integers, else: 0)
        case .booleanAttributeType: return random.oneIn(2)
        case .doubleAttributeType: return random.pick(doubles, else: 0)
        case .floatAttributeType: return Float(random.int(-16...16)) / 8
        case .decimalAttributeType: return decimal(&random)
        case .stringAttributeType: return random.pick(texts, else: "")
        case .dateAttributeType: return date(&random)
        case .UUIDAttributeType: return uuid(&random)
        case .URIAttributeType: return url(&random)
        case .binaryDataAttributeType: return data(&random)
        default: return [1]
        }
    }

    static let integers: [Int64] = [
        0, 1, -1, 2, 3, 4, 5, 7, 10, 42, .max, .min, .max - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1,
        1 << 40,
    ]
    static let doubles: [Double] = [
        0, 1, -1, 0.5, 1.5, 2, 2.5, 3, 5, 10, 42, 0.1, 0.3, 1e300, -1e300, 0x1p-1074, 0x1p53, 0x1p63, -0x1p63,
        1e-9,
    ]

    /// A decimal number as a column gives it back.
    static func decimal(_ random: inout Random) -> Decimal {
        let text = random.pick(
            [
                "0", "1", "-1", "2", "5", "0.1", "0.2", "0.3", "1.5", "2.5", "10", "42", "-0.7", "12345.678",
                "9007199254740993", "1234567890123456", "0.30000000000000004", "100000000000000000000",
                "1e-10",
            ], else: "0")
        guard let decimal = Decimal(string: text) else { return 0 }
        if let whole = Int64("\(decimal)") { return Decimal(whole) }
        return Decimal(stored: decimal.nearestDouble)
    }

    /// Decimal numbers for predicates may be more exact than a column.
    static func exactDecimal(_ random: inout Random) -> Decimal {
        let text = random.pick(
            [
                "0.1", "0.10000000000000000001", "0.3", "4.99999999999999999999", "5", "1.5", "-1",
                "0.2999999999999999999999", "42.0", "1e25",
            ],
            else: "1")
        return Decimal(string: text) ?? 0
    }

    static func date(_ random: inout Random) -> Date {
        Date(
            timeIntervalSinceReferenceDate: random.pick(
                [0, 1, 1.5, 86_400, 700_000_000, 700_000_000.25, -5, -5.5], else: 0))
    }

    static func uuid(_ random: inout Random) -> UUID {
        UUID(uuidString: "0000000\(random.int(0...3))-AB00-4000-8000-00000000000\(random.int(0...3))")
            ?? UUID()
    }

    static func url(_ random: inout Random) -> URL {
        URL(
            string: random.pick(
                ["https://a.org/x", "https://a.org/X?q=1", "file:///tmp/a.txt", "mailto:b@c.d"], else: ""))
            ?? URL(fileURLWithPath: "/")
    }

    static func data(_ random: inout Random) -> Data {
        Data((0..<random.int(0...3)).map { _ in UInt8(random.int(0...2)) })
    }
}
