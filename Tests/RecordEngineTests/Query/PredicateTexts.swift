import RecordWire
import TestSupport

/// Random predicates in the format language about the fields of ``ModelRecord``.
enum PredicateTexts {
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for character in text.unicodeScalars {
            switch character {
            case "'", "\\": quoted += "\\" + String(character)
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "'"
    }

    static func literal(_ tag: String, _ random: inout Random) -> String {
        switch random.value(tag) {
        case .string(let text): return quoted(text)
        case .int(let value):
            guard tag == "TIMESTAMP" else { return "\(value)" }
            // The literal of a date counts seconds from 2001.
            return "CAST(\(Double(value) / 1000 - 978_307_200), 'NSDate')"
        case .double(let value): return "\(value)"
        case let value: return quoted(value["recordName"].string ?? "")
        }
    }

    static func predicate(_ random: inout Random, depth: Int = 3) -> String {
        guard depth > 0, random.oneIn(2) else { return comparison(&random) }
        switch random.int(0...4) {
        case 0: return "NOT (\(predicate(&random, depth: depth - 1)))"
        case 1, 2:
            return "(\(predicate(&random, depth: depth - 1))) AND (\(predicate(&random, depth: depth - 1)))"
        case 3:
            return "(\(predicate(&random, depth: depth - 1))) OR (\(predicate(&random, depth: depth - 1)))"
        default: return random.pick(["TRUEPREDICATE", "FALSEPREDICATE"], else: "TRUEPREDICATE")
        }
    }

    private static let orders = ["==", "!=", "<", "<=", ">", ">="]
    private static let options = ["", "", "[c]", "[d]", "[cd]", "[cn]"]

    private static func comparison(_ random: inout Random) -> String {
        if random.oneIn(3) { return listComparison(&random) }
        let (field, tag) = random.pick(
            ModelRecord.scalars.filter { $0.tag != "LOCATION" }, else: ("int", "INT64"))
        let option = tag == "STRING" ? random.pick(options, else: "") : ""
        switch random.int(0...9) {
        case 0: return "\(field) \(random.pick(["==", "!="], else: "==")) nil"
        case 1:
            let values = (0..<random.int(1...4)).map { _ in literal(tag, &random) }
            return "\(field) IN\(option) {\(values.joined(separator: ", "))}"
        case 2 where tag != "REFERENCE":
            return "\(field) BETWEEN {\(literal(tag, &random)), \(literal(tag, &random))}"
        case 3 where tag == "INT64" || tag == "DOUBLE":
            return "int \(random.pick(orders, else: "==")) double"
        case 4 where tag == "STRING": return "text \(random.pick(orders, else: "==")) recordID"
        case 5, 6, 7:
            guard tag == "STRING" else { break }
            let verb = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"], else: "CONTAINS")
            return "\(field) \(verb)\(option) \(literal(tag, &random))"
        case 8 where tag != "REFERENCE":
            return "\(literal(tag, &random)) \(random.pick(orders, else: "==")) \(field)"
        default: break
        }
        let order =
            tag == "REFERENCE" ? random.pick(["==", "!="], else: "==") : random.pick(orders, else: "==")
        return "\(field) \(order)\(option) \(literal(tag, &random))"
    }

    private static func listComparison(_ random: inout Random) -> String {
        let (field, tag) = random.pick(ModelRecord.lists, else: ("ints", "INT64"))
        let value = literal(tag, &random)
        let order =
            tag == "REFERENCE" ? random.pick(["==", "!="], else: "==") : random.pick(orders, else: "==")
        switch random.int(0...6) {
        case 0: return "\(field) CONTAINS \(value)"
        case 1: return "\(value) IN \(field)"
        case 2: return "ANY \(field) \(order) \(value)"
        case 3: return "ALL \(field) \(order) \(value)"
        case 4: return "ANY \(field) IN {\(value), \(literal(tag, &random))}"
        case 5 where tag == "STRING":
            let verb = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "=="], else: "CONTAINS")
            return "ANY \(field) \(verb)\(random.pick(options, else: "")) \(value)"
        case 5: return "\(field) == nil"
        default: return "\(field).@count \(random.pick(orders, else: "==")) \(random.int(0...3))"
        }
    }
}
