import Foundation
import TestSupport

@testable import StratusCoreData

/// What kind of value an expression of the law gives.
enum LawKind: CaseIterable {
    case string, whole, number, decimal, date, uuid, url, data, flag
}

/// Random predicates over the law's model, of every form that a fetch supports.
struct RandomPredicate {
    var random: Random
    let store: LawStore

    /// Where keys are read from: SELF, or a variable of SUBQUERY.
    struct Base {
        var tree: ExpressionTree
        var entity: NSEntityDescription
    }

    /// All bases that are visible; the last is the nearest.
    private var bases: [Base] = []
    private var variableCount = 0

    init(_ random: Random, _ store: LawStore) {
        self.random = random
        self.store = store
    }

    mutating func predicate(on entity: NSEntityDescription, depth: Int) -> PredicateTree {
        bases = [Base(tree: .selfObject, entity: entity)]
        variableCount = 0
        return predicate(depth)
    }

    mutating func predicate(_ depth: Int) -> PredicateTree {
        guard depth > 0 else { return comparison(0) }
        switch random.int(0...11) {
        case 0: return .and(parts(depth))
        case 1: return .or(parts(depth))
        case 2: return .not(predicate(depth - 1))
        case 3: return .constant(random.oneIn(2))
        case 4, 5: return quantified(depth)
        case 6: return membership(depth)
        case 7: return objects(depth)
        default: return comparison(depth)
        }
    }

    private mutating func parts(_ depth: Int) -> [PredicateTree] {
        (0..<random.int(1...3)).map { _ in predicate(depth - 1) }
    }

    private mutating func base() -> Base {
        // Mostly the nearest, so that SUBQUERY looks at its elements.
        random.oneIn(3) ? random.pick(bases, else: bases[0]) : bases[bases.count - 1]
    }

    // MARK: Comparisons

    private mutating func comparison(_ depth: Int) -> PredicateTree {
        let kind = random.pick(LawKind.allCases, else: .string)
        if kind == .string || random.oneIn(6) { return textComparison(depth) }
        let left = random.oneIn(8) ? constant(kind) : expression(kind, depth)
        // Now and then a kind that does not fit.
        let other = random.oneIn(25) ? random.pick(LawKind.allCases, else: kind) : kind
        if random.oneIn(6) {
            return .compare(left, .between, .list([expression(other, 1), expression(other, 1)]))
        }
        if random.oneIn(6) { return .compare(left, .in, list(kind, depth)) }
        let right = random.oneIn(3) ? expression(other, depth - 1) : constant(other)
        return .compare(left, order(), right)
    }

    private mutating func order() -> PredicateOperator {
        random.pick(
            [
                .equalTo, .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan,
                .greaterThanOrEqualTo,
            ],
            else: .equalTo)
    }

    private mutating func options() -> PredicateOptions {
        random.oneIn(2) ? [] : PredicateOptions(rawValue: UInt(random.int(0...7)))
    }

    private mutating func textComparison(_ depth: Int) -> PredicateTree {
        let left = expression(.string, depth)
        let right = random.oneIn(4) ? expression(.string, depth - 1) : constant(.string)
        let operation: PredicateOperator = random.pick(
            [
                .equalTo, .notEqualTo, .lessThan, .greaterThanOrEqualTo, .beginsWith, .endsWith, .contains,
                .in,
                .like, .utiEquals,
            ], else: .equalTo)
        if operation == .in, random.oneIn(2) {
            return .compare(left, .in, list(.string, depth), options: options())
        }
        if random.oneIn(15) {
            let pattern = random.pick(["a.*", "[a-z]+", "(a|ab).?", ".", "\\w*", "é"], else: "a")
            return .compare(left, .matches, .constant(.string(pattern)), options: options())
        }
        return .compare(left, operation, right, options: options())
    }

    private mutating func list(_ kind: LawKind, _ depth: Int) -> ExpressionTree {
        if random.oneIn(3) {
            return .list(
                (0..<random.int(0...3)).map { _ in
                    random.oneIn(2) ? constant(kind) : expression(kind, depth - 1)
                })
        }
        let count = random.oneIn(8) ? random.int(51...60) : random.int(0...4)
        let values = (0..<count).map { _ in value(kind) }
        return .constant(random.oneIn(3) ? .set(Set(values)) : .list(values))
    }

    // MARK: To-many

    /// A to-many path: its keys from the base, and the entity that it leads to.
    private mutating func collection(_ base: Base, levels: Int) -> (ExpressionTree, NSEntityDescription)? {
        var entity = base.entity
        var keys: [String] = []
        var left = levels
        for _ in 0..<4 {
            let relationships = entity.properties.compactMap { $0 as? NSRelationshipDescription }
            guard let next = relationships.randomElement(using: &random),
                let destination = next.destinationEntity
            else { return nil }
            if next.isToMany, left == 0 { break }
            keys.append(next.name)
            entity = destination
            if next.isToMany { left -= 1 }
            if left == 0, random.oneIn(2) { break }
        }
        guard left == 0, !keys.isEmpty else { return nil }
        return (.path(keys, of: base.tree), entity)
    }

    private mutating func quantified(_ depth: Int) -> PredicateTree {
        let base = base()
        let levels = random.oneIn(3) ? 2 : 1
        guard let (path, entity) = random.oneIn(6) ? subquery(depth) : collection(base, levels: levels) else {
            return comparison(depth)
        }
        let modifier: PredicateModifier = random.oneIn(3) ? .all : .any
        if random.oneIn(8), let next = toMany(entity) {
            // A list of counts, one for each element.
            return .compare(
                .path([next.name, "@count"], of: path), order(), expression(.whole, depth - 1),
                modifier: modifier)
        }
        if random.oneIn(4) {
            let right: ExpressionTree =
                random.oneIn(2) ? .constant(.list(objectValues(entity, 3))) : .constant(objectValue(entity))
            if case .constant(.list) = right { return .compare(path, .in, right, modifier: modifier) }
            return .compare(path, random.oneIn(2) ? .equalTo : .notEqualTo, right, modifier: modifier)
        }
        let kind = random.pick(LawKind.allCases, else: .string)
        guard let name = attribute(kind, entity) else { return comparison(depth) }
        let left = ExpressionTree.path(name, of: path)
        let right = random.oneIn(3) ? expression(kind, depth - 1) : constant(kind)
        if kind == .string {
            let operation: PredicateOperator = random.pick(
                [.equalTo, .beginsWith, .contains, .notEqualTo, .like], else: .equalTo)
            return .compare(left, operation, right, modifier: modifier, options: options())
        }
        if random.oneIn(4) { return .compare(left, .in, list(kind, depth), modifier: modifier) }
        return .compare(left, order(), right, modifier: modifier)
    }

    private mutating func membership(_ depth: Int) -> PredicateTree {
        let base = base()
        guard let (path, entity) = random.oneIn(6) ? subquery(depth) : collection(base, levels: 1) else {
            return comparison(depth)
        }
        if random.oneIn(2) {
            let element: ExpressionTree =
                random.oneIn(2) ? .constant(objectValue(entity)) : (object(entity) ?? .selfObject)
            return random.oneIn(2) ? .compare(path, .contains, element) : .compare(element, .in, path)
        }
        let kind = random.pick(LawKind.allCases, else: .string)
        guard let name = attribute(kind, entity) else { return comparison(depth) }
        let values = ExpressionTree.path(name, of: path)
        let element = random.oneIn(2) ? constant(kind) : expression(kind, depth - 1)
        let options: PredicateOptions = kind == .string ? options() : []
        return random.oneIn(2)
            ? .compare(values, .contains, element, options: options)
            : .compare(element, .in, values, options: options)
    }

    private mutating func toMany(_ entity: NSEntityDescription) -> NSRelationshipDescription? {
        entity.properties.compactMap { $0 as? NSRelationshipDescription }.filter(\.isToMany)
            .randomElement(using: &random)
    }

    /// SUBQUERY(path, $x, …)
    private mutating func subquery(_ depth: Int) -> (ExpressionTree, NSEntityDescription)? {
        guard bases.count < 3, let (path, entity) = collection(base(), levels: random.oneIn(4) ? 2 : 1) else {
            return nil
        }
        variableCount += 1
        let name = "x\(variableCount)"
        bases.append(Base(tree: .variable(name), entity: entity))
        defer { bases.removeLast() }
        return (.subquery(path, variable: name, predicate: predicate(max(0, depth - 1))), entity)
    }

    // MARK: Objects

    private mutating func objects(_ depth: Int) -> PredicateTree {
        let base = base()
        let toOnes = base.entity.properties.compactMap { $0 as? NSRelationshipDescription }.filter {
            !$0.isToMany
        }
        let left: ExpressionTree
        let entity: NSEntityDescription
        if let toOne = toOnes.randomElement(using: &random), let destination = toOne.destinationEntity,
            !random.oneIn(3)
        {
            left = .path([toOne.name], of: base.tree)
            entity = destination
        } else {
            left = base.tree
            entity = base.entity
        }
        switch random.int(0...5) {
        case 0: return .compare(left, .in, .constant(.list(objectValues(entity, 4))))
        case 1:
            let right = object(entity) ?? .constant(.null)
            return .compare(left, random.oneIn(2) ? .equalTo : .notEqualTo, right)
        case 2:
            let kinds = ["Thing", "Book", "Film", "Comic", "Person", "Tag"]
            let name = random.pick(kinds, else: "Thing")
            return random.oneIn(2)
                ? .compare(.path(["entity", "name"], of: left), .equalTo, .constant(.string(name)))
                : .compare(
                    .path(["entity"], of: left), .equalTo,
                    .constant(.object(PredicateObject(store.law.entity(name)))))
        default:
            return .compare(
                random.oneIn(3) ? .path(["objectID"], of: left) : left,
                random.oneIn(2) ? .equalTo : .notEqualTo, .constant(objectValue(entity)))
        }
    }

    private mutating func object(_ entity: NSEntityDescription) -> ExpressionTree? {
        let base = base()
        if base.entity.isKindOf(entity: entity), random.oneIn(2) { return base.tree }
        let fitting = base.entity.properties.compactMap { $0 as? NSRelationshipDescription }
            .filter { !$0.isToMany && $0.destinationEntity?.root === entity.root }
        return fitting.randomElement(using: &random).map { .path([$0.name], of: base.tree) }
    }

    private mutating func objectValue(_ entity: NSEntityDescription) -> PredicateValue {
        if random.oneIn(6) { return .null }
        let family = random.oneIn(10) ? store.objects : store.objects(of: entity.root)
        guard let object = family.randomElement(using: &random) else { return .null }
        return .object(PredicateObject(object.objectID))
    }

    private mutating func objectValues(_ entity: NSEntityDescription, _ count: Int) -> [PredicateValue] {
        (0..<random.int(0...count)).map { _ in objectValue(entity) }
    }
}

// MARK: Expressions

extension RandomPredicate {
    mutating func expression(_ kind: LawKind, _ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return random.oneIn(4) ? constant(kind) : path(kind) }
        if random.oneIn(12) {
            return .conditional(
                predicate(depth - 2), expression(kind, depth - 1), expression(kind, depth - 1))
        }
        switch kind {
        case .string: return string(depth)
        case .whole: return whole(depth)
        case .number: return number(depth)
        case .decimal: return decimal(depth)
        case .date: return date(depth)
        case .uuid, .url, .data, .flag: return path(kind)
        }
    }

    private mutating func string(_ depth: Int) -> ExpressionTree {
        switch random.int(0...9) {
        case 0:
            return .function(pick("uppercase:", "lowercase:", "canonical:"), [expression(.string, depth - 1)])
        case 1: return .path([pick("uppercased", "lowercased", "pathExtension")], of: path(.string))
        case 2: return .path(["entity", "name"], of: .selfObject)
        case 3:
            return .path(
                [pick("uuidString", "self.uuidString")].flatMap { $0.split(separator: ".").map(String.init) },
                of: path(.uuid))
        case 4: return .path(["absoluteString"], of: path(.url))
        case 5: return .cast(path(pick(.whole, .flag)), to: "NSString")
        default: return path(.string)
        }
    }

    private mutating func whole(_ depth: Int) -> ExpressionTree {
        switch random.int(0...11) {
        case 7:
            guard let (found, entity) = collection(base(), levels: 1), let name = attribute(.string, entity)
            else { return path(.whole) }
            let values = ExpressionTree.path(
                [pick("@distinctUnionOfObjects", "@unionOfObjects")] + name, of: found)
            return endsInToMany(found) ? .function("count:", [values]) : .function("count:", [found])
        case 8:
            guard let (found, entity) = collection(base(), levels: 1), endsInToMany(found),
                let next = toMany(entity)
            else { return path(.whole) }
            return random.oneIn(2)
                ? .index(found, .size)
                : .path([pick("@sum", "@max", "@min"), next.name, "@count"], of: found)
        case 9: return .message(path(.string), selector: "length", arguments: [])
        case 0: return .function("length:", [expression(.string, depth - 1)])
        case 1:
            guard let (found, _) = subquery(depth) else { return path(.whole) }
            return random.oneIn(2) ? .path(["@count"], of: found) : .function("count:", [found])
        case 2, 3:
            guard let (found, _) = collection(base(), levels: 1) else { return path(.whole) }
            if case .keyPath(let keys) = found, endsInToMany(found) { return .keyPath(keys + ["@count"]) }
            if case .member(let root, let keys) = found, endsInToMany(found) {
                return .path(keys + ["@count"], of: root)
            }
            return .function("count:", [found])
        case 4:
            return .function(
                pick(
                    "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:",
                    "rightshift:by:"),
                [path(.whole), random.oneIn(2) ? constant(.whole) : path(.whole)])
        case 5: return .function("onesComplement:", [path(.whole)])
        case 6: return arithmetic(.whole, depth)
        default: return path(.whole)
        }
    }

    private mutating func endsInToMany(_ tree: ExpressionTree) -> Bool {
        let keys: [String]
        var entity: NSEntityDescription
        switch tree {
        case .keyPath(let path): (keys, entity) = (path, bases[0].entity)
        case .member(let root, let path):
            guard let base = bases.first(where: { $0.tree == root }) else { return false }
            (keys, entity) = (path, base.entity)
        default: return false
        }
        var last = false
        for key in keys {
            guard let relationship = entity.relationshipsByName[key],
                let destination = relationship.destinationEntity
            else { return false }
            last = relationship.isToMany
            entity = destination
        }
        return last
    }

    private mutating func number(_ depth: Int) -> ExpressionTree {
        switch random.int(0...9) {
        case 0:
            return .function(
                pick("abs:", "floor:", "ceiling:", "trunc:", "noindex:"), [expression(.number, depth - 1)])
        case 1: return .function(pick("sqrt:", "ln:", "log:"), [path(.number)])
        case 2: return arithmetic(.number, depth)
        case 3, 4: return statistic() ?? path(.number)
        case 5: return .function("from:subtract:", [path(.date), path(.date)])
        case 6:
            return .path([pick("timeIntervalSinceReferenceDate", "timeIntervalSince1970")], of: path(.date))
        case 7:
            return .function(
                pick("max:", "min:", "sum:", "average:"), [.list([path(.number), path(.whole)])])
        case 8:
            return .cast(path(pick(.whole, .flag, .number, .decimal, .date)), to: pick("Double", "NSNumber"))
        default: return path(.number)
        }
    }

    /// `@sum` and the like over a to-many path, of attributes whose sums are exact in any order.
    private mutating func statistic() -> ExpressionTree? {
        let base = base()
        guard let (found, entity) = collection(base, levels: 1), endsInToMany(found) else { return nil }
        let isSum = random.oneIn(2)
        let exact = ["weight", "small", "flag", "age", "rank", "pages"].filter {
            entity.attributesByName[$0] != nil
        }
        let any =
            isSum
            ? exact : exact + ["price", "count", "amount"].filter { entity.attributesByName[$0] != nil }
        guard let name = any.randomElement(using: &random) else { return nil }
        if random.oneIn(3) {
            return .function(
                isSum ? pick("sum:", "average:", "stddev:") : pick("min:", "max:", "median:"),
                [.path([name], of: found)])
        }
        return .path([isSum ? pick("@sum", "@avg") : pick("@min", "@max"), name], of: found)
    }

    private mutating func decimal(_ depth: Int) -> ExpressionTree {
        switch random.int(0...4) {
        case 0: return arithmetic(.decimal, depth)
        case 1: return .cast(path(.whole), to: "NSDecimalNumber")
        default: return path(.decimal)
        }
    }

    private mutating func arithmetic(_ kind: LawKind, _ depth: Int) -> ExpressionTree {
        let selector = pick(
            "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:")
        let other =
            random.oneIn(3) ? random.pick([LawKind.whole, .number, .decimal, .flag], else: kind) : kind
        return .function(
            selector,
            [expression(kind, depth - 1), random.oneIn(2) ? constant(other) : expression(other, depth - 1)])
    }

    private mutating func date(_ depth: Int) -> ExpressionTree {
        switch random.int(0...6) {
        case 0:
            return .function(
                pick("add:to:", "from:subtract:"),
                [path(.date), random.oneIn(2) ? constant(.whole) : path(.whole)])
        case 1: return .function("now", [])
        case 2: return .cast(path(pick(.whole, .number)), to: "NSDate")
        default: return path(.date)
        }
    }

    private mutating func pick<Element>(_ elements: Element...) -> Element {
        random.pick(elements, else: elements[0])
    }

    /// A path over to-one relationships to an attribute of the kind.
    private mutating func path(_ kind: LawKind) -> ExpressionTree {
        let base = base()
        var entity = base.entity
        var keys: [String] = []
        for _ in 0..<3 where random.oneIn(3) {
            let toOnes = entity.properties.compactMap { $0 as? NSRelationshipDescription }.filter {
                !$0.isToMany
            }
            guard let next = toOnes.randomElement(using: &random), let destination = next.destinationEntity
            else {
                break
            }
            keys.append(next.name)
            entity = destination
        }
        let ordered = entity.properties.compactMap { $0 as? NSRelationshipDescription }.filter(\.isOrdered)
        if random.oneIn(10), let many = ordered.randomElement(using: &random),
            let destination = many.destinationEntity, let name = attribute(kind, destination)
        {
            let all = ExpressionTree.path(keys + [many.name], of: base.tree)
            let place: PredicateIndex = pick(.first, .last, .expression(.constant(.int(0))))
            return .path(name, of: .index(all, place))
        }
        guard let name = attribute(kind, entity) else { return constant(kind) }
        return .path(keys + name, of: base.tree)
    }

    private mutating func attribute(_ kind: LawKind, _ entity: NSEntityDescription) -> [String]? {
        var names = entity.properties.compactMap { $0 as? NSAttributeDescription }
            .filter { !$0.isTransient && Self.kind($0.attributeType) == kind }.map { [$0.name] }
        if entity.attributesByName["place"] != nil {
            if kind == .string { names.append(["place", "city"]) }
            if kind == .whole { names.append(["place", "zip"]) }
        }
        return names.randomElement(using: &random)
    }

    private static func kind(_ type: NSAttributeType) -> LawKind? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .whole
        case .booleanAttributeType: .flag
        case .doubleAttributeType, .floatAttributeType: .number
        case .decimalAttributeType: .decimal
        case .stringAttributeType: .string
        case .dateAttributeType: .date
        case .UUIDAttributeType: .uuid
        case .URIAttributeType: .url
        case .binaryDataAttributeType: .data
        default: nil
        }
    }

    mutating func constant(_ kind: LawKind) -> ExpressionTree { .constant(value(kind)) }

    mutating func value(_ kind: LawKind) -> PredicateValue {
        if random.oneIn(10) { return .null }
        switch kind {
        case .string: return .string(random.pick(LawValues.texts, else: ""))
        case .whole:
            return .int(
                random.oneIn(3) ? random.pick(LawValues.integers, else: 0) : Int64(random.int(-3...6)))
        case .number:
            if random.oneIn(30) { return .double(.nan) }
            if random.oneIn(30) { return .double(random.oneIn(2) ? .infinity : -.infinity) }
            return .double(
                random.oneIn(3) ? random.pick(LawValues.doubles, else: 0) : Double(random.int(-8...8)) / 4)
        case .decimal:
            return .decimal(random.oneIn(3) ? LawValues.exactDecimal(&random) : LawValues.decimal(&random))
        case .date: return .date(LawValues.date(&random))
        case .uuid: return .uuid(LawValues.uuid(&random))
        case .url: return .url(LawValues.url(&random))
        case .data: return .data(LawValues.data(&random))
        case .flag: return random.oneIn(4) ? .int(Int64(random.int(0...2))) : .bool(random.oneIn(2))
        }
    }
}
