import TestSeeds

/// Source with names that exercise the compiler's abbreviations.
struct RandomModule {
    private var random: Random
    private var used: Set<String> = []
    private var types: [String] = []
    let module: String

    init(seed: UInt64) {
        random = Random(seed: seed)
        module =
            ["Model", "CourseItemModel", "_Under_score", "M", "a1B2c3", "Item"].randomElement(using: &random)
            ?? "M"
    }

    private static let words = [
        "Item", "item", "Course", "course", "A", "a", "x", "ID", "URL", "Title", "title", "To", "of",
        "Foundation",
        "Essentials", "Date", "NS", "Set", "2", "10", "_", "__", "Name", "name9", "é", "日本", "ß", "Ω",
        "naïve",
        "Managed", "Object", "String", "Main", "swift", "I", "Z", "🙂",
    ]

    private mutating func name(upper: Bool) -> String {
        while true {
            let count = Int.random(in: 1...5, using: &random)
            var name = (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "a" }.joined()
            if let first = name.first, first.isNumber { name = (upper ? "N" : "n") + name }
            if name.allSatisfy({ $0 == "_" }) || name == "🙂" { name += "v" }
            let reserved = [
                "String", "Date", "Set", "Foundation", "A", "I", "Z", "URL", "swift", "of", "title",
            ]
            if upper, reserved.contains(name) || name.count == 1 { name += "Type" }
            if name == module || !used.insert(name).inserted { continue }
            return name
        }
    }

    private static let platform = [
        "String", "Int16", "Int32", "Int64", "Int", "Double", "Float", "Bool", "Date", "Data", "UUID", "URL",
        "Decimal",
        "NSDecimalNumber", "NSNumber", "NSSet", "NSOrderedSet", "NSObject", "NSDate", "NSData", "Any",
        "AnyObject",
        "UInt8", "Locale", "NSURL", "TimeInterval", "NSRange", "CGFloat", "TimeZone", "NSManagedObject",
        "any NSCoding",
        "any Error", "Calendar", "Character", "IndexSet",
    ]
    private static let hashable = [
        "String", "Int16", "Int", "UUID", "Date", "URL", "NSNumber", "NSObject", "Int64",
    ]

    private mutating func type(depth: Int = 0) -> String {
        switch depth > 3 ? 3 : Int.random(in: 0..<10, using: &random) {
        case 0: return "[" + type(depth: depth + 1) + "]"
        case 1: return "[" + hashableType() + ": " + type(depth: depth + 1) + "]"
        case 2: return "Set<" + hashableType() + ">"
        case 5...7:
            let wrapped = type(depth: depth + 1)
            return wrapped.hasPrefix("any ") ? "(\(wrapped))?" : wrapped + "?"
        case 8 where !types.isEmpty: return types.randomElement(using: &random) ?? "Int"
        case 9: return "(" + type(depth: depth + 1) + ", " + type(depth: depth + 1) + ")"
        default: return Self.platform.randomElement(using: &random) ?? "Int"
        }
    }

    private mutating func hashableType() -> String {
        let own = types.randomElement(using: &random)
        let base = Bool.random(using: &random) ? Self.hashable.randomElement(using: &random) : own
        return base ?? "Int"
    }

    mutating func source(classes: Int, properties: Int) -> String {
        var text = "import CoreData\nimport Foundation\n"
        for _ in 0..<4 {
            let (outer, inner) = (name(upper: true), name(upper: true))
            text += "public enum \(outer): Int16 { case a\n public struct \(inner): Hashable {} }\n"
            types += [outer, "\(outer).\(inner)"]
        }
        var names: [String] = []
        for _ in 0..<classes {
            let (outer, inner) = (name(upper: true), name(upper: true))
            names += [outer, "\(outer).\(inner)"]
            text += "public class \(outer): NSManagedObject { public class \(inner): NSManagedObject {} }\n"
        }
        types += names
        for name in names {
            text += "extension \(name) {\n"
            for _ in 0..<properties {
                text += "    @NSManaged public var \(self.name(upper: false)): \(type())\n"
            }
            text += "}\n"
        }
        return text
    }
}
