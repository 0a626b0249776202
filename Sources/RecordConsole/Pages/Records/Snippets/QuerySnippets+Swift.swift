import Predicates
import RecordModel
import RecordWire

/// The query in Swift: values are arguments of the predicate, so nothing of them is read as its language.
extension QuerySnippets {
    var swift: String {
        var arguments: [String] = []
        var parts = request.query.filterBy.map { condition($0, &arguments) }
        if let predicate = request.query.predicate {
            parts.append(parts.isEmpty ? predicate : "(\(predicate))")
        }
        let container = Self.swiftLiteral(tenant.container.rawValue)
        let predicate =
            parts.isEmpty
            ? "NSPredicate(value: true)"
            : "NSPredicate(format: "
                + ([Self.swiftLiteral(parts.joined(separator: " AND "))] + arguments).joined(separator: ", ")
                + ")"
        var lines = [
            "import CloudKit", "import Foundation", "",
            "let database = CKContainer(identifier: \(container)).\(address.scope.rawValue)CloudDatabase",
            "let query = CKQuery(",
            "    recordType: \(Self.swiftLiteral(type.name)),", "    predicate: \(predicate))",
        ]
        let sorts = request.query.sortBy.map { sort in
            "NSSortDescriptor(key: \(Self.swiftLiteral(Self.nativeName(sort.selector))), ascending: \(sort.ascending))"
        }
        if !sorts.isEmpty {
            lines.append("query.sortDescriptors = [")
            lines += sorts.map { "    \($0)," }
            lines.append("]")
        }
        lines += ["", "let operation = CKQueryOperation(query: query)"]
        if let zone = request.zoneID, !zone.isDefault {
            lines.append("operation.zoneID = CKRecordZone.ID(zoneName: \(Self.swiftLiteral(zone.zoneName)))")
        }
        lines += [
            "operation.resultsLimit = \(request.resultsLimit ?? 100)",
            "operation.recordMatchedBlock = { id, result in",
            "    print(id.recordName, result)", "}",
            "operation.queryResultBlock = { result in",
            "    // A cursor is in it where there is more.",
            "    print(result)", "}", "database.add(operation)",
        ]
        return lines.joined(separator: "\n")
    }

    /// A filter in the predicate language; its values are appended to the arguments.
    private func condition(_ filter: FilterDictionary, _ arguments: inout [String]) -> String {
        let key =
            filter.selector == .allText
            ? "self" : ExpressionTree.keyPath([Self.nativeName(filter.selector)]).description
        guard filter.value.value != .null else {
            return filter.comparator == .equals ? "\(key) == NULL" : "\(key) != NULL"
        }
        func argument(_ value: JSONValue) -> String {
            arguments.append(literal(value, filter.selector))
            return "%@"
        }
        func text(_ value: JSONValue) -> String {
            arguments.append(Self.swiftLiteral(value.string ?? ""))
            return "%@"
        }
        let value = filter.value.value
        switch filter.comparator {
        case .notEquals: return "\(key) != \(argument(value))"
        case .lessThan: return "\(key) < \(argument(value))"
        case .lessThanOrEquals: return "\(key) <= \(argument(value))"
        case .greaterThan: return "\(key) > \(argument(value))"
        case .greaterThanOrEquals: return "\(key) >= \(argument(value))"
        case .beginsWith: return "\(key) BEGINSWITH \(text(value))"
        case .notBeginsWith: return "NOT \(key) BEGINSWITH \(text(value))"
        case .in: return "\(key) IN \(argument(value))"
        case .notIn: return "NOT \(key) IN \(argument(value))"
        case .listContains: return "\(key) CONTAINS \(argument(value))"
        case .notListContains: return "NOT \(key) CONTAINS \(argument(value))"
        case .listContainsAny: return "ANY \(key) IN \(argument(value))"
        case .listContainsAll:
            let parts = (value.array ?? []).map { "\(key) CONTAINS \(argument($0))" }
            return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
        case .listMemberBeginsWith: return "ANY \(key) BEGINSWITH \(argument(value))"
        case .containsAnyTokens: return "self CONTAINS \(argument(value))"
        case .near:
            let metres = filter.distance ?? Self.metresToEverywhere
            return "distanceToLocation:fromLocation:(\(key), \(argument(value))) < \(metres)"
        default: return "\(key) == \(argument(value))"
        }
    }

    /// More than half of the way around the Earth: NEAR without a distance takes every place.
    private static let metresToEverywhere: Double = 21_000_000

    /// A value as Swift writes it, of the type that the field compares with.
    private func literal(_ value: JSONValue, _ selector: FieldSelector) -> String {
        if case .array(let elements) = value {
            return "["
                + elements.map { literal($0, selector) }.joined(separator: ", ")
                + "]"
        }
        if case .object(let object) = value {
            if let latitude = object["latitude"]?.double, let longitude = object["longitude"]?.double {
                return "CLLocation(latitude: \(latitude), longitude: \(longitude))"
            }
            return Self.reference(object["recordName"]?.string ?? "")
        }
        if Self.isTime(selector, type), let milliseconds = value.int {
            return "NSDate(timeIntervalSince1970: \(Double(milliseconds) / 1_000))"
        }
        switch value {
        case .string(let text):
            return selector == .system(.recordName)
                ? "CKRecord.ID(recordName: \(Self.swiftLiteral(text)))" : Self.swiftLiteral(text)
        case .int(let number): return "NSNumber(value: \(number))"
        case .double(let number): return "NSNumber(value: \(number))"
        default: return "NSNull()"
        }
    }

    private static func reference(_ name: String) -> String {
        "CKRecord.Reference(recordID: CKRecord.ID(recordName: \(swiftLiteral(name))), action: .none)"
    }

    private static func isTime(_ selector: FieldSelector, _ type: RecordType) -> Bool {
        switch selector {
        case .field(let name): type[name]?.type.scalar == .timestamp
        case .system(let field): field == .createdTimestamp || field == .modifiedTimestamp
        case .allText: false
        }
    }

    /// What the framework calls a field.
    private static func nativeName(_ selector: FieldSelector) -> String {
        switch selector {
        case .field(let name): name
        case .system(.recordName): "recordID"
        case .system(.createdTimestamp): "creationDate"
        case .system(.modifiedTimestamp): "modificationDate"
        case .system(.createdUserRecordName): "creatorUserRecordID"
        case .system(.modifiedUserRecordName): "lastModifiedUserRecordID"
        case .system(let field): field.rawValue
        case .allText: "self"
        }
    }

    /// A text as a literal of Swift, in which nothing is interpolated and no line ends.
    static func swiftLiteral(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                // Marks that turn the direction of text would show other code than there is.
                if scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format
                    || scalar.properties.generalCategory == .lineSeparator
                    || scalar.properties.generalCategory == .paragraphSeparator
                {
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }
}
