internal import Foundation
internal import Predicates

/// A predicate as archives have it: its text, and the objects that the text has no literal for.
///
/// Foundation's own predicates stop the process when they are archived on Linux. In the text a variable stands
/// for each object.
struct ArchivedPredicate {
    private static let prefix = "archivedObject"

    private let text: String
    private let objects: [any NSObject & NSCoding]

    /// Takes a predicate apart; nil for one made of a block, and for objects that cannot be archived.
    init?(_ predicate: NSPredicate) {
        guard let tree = predicate.tree else { return nil }
        var found: [any NSObject & NSCoding] = []
        var isComplete = true
        let plain = tree.replacingObjects { object in
            guard let object = object as? any NSObject & NSCoding else {
                isComplete = false
                return nil
            }
            found.append(object)
            return .variable(Self.prefix + String(found.count - 1))
        }
        guard isComplete else { return nil }
        text = plain.description
        self.objects = found
    }

    /// Reads a predicate from an archive; nil where the archive does not hold one.
    init?(coder: NSCoder) {
        guard let text = coder.safeText(forKey: "Predicate") else { return nil }
        self.text = text
        let classes: [AnyClass] = [
            NSArray.self, CKReference.self, CKRecordID.self, CKRecord.self, CLLocation.self,
        ]
        let array =
            coder.containsValue(forKey: "PredicateObjects")
            ? coder.decodeObject(of: classes, forKey: "PredicateObjects") as? NSArray : nil
        objects = array?.compactMap { $0 as? any NSObject & NSCoding } ?? []
    }

    /// Writes the predicate to an archive.
    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: text), forKey: "Predicate")
        if !objects.isEmpty { coder.encode(NSArray(array: objects), forKey: "PredicateObjects") }
    }

    /// The predicate; nil where the text is not one.
    var predicate: NSPredicate? {
        guard let tree = try? PredicateTree(parsing: text) else { return nil }
        let values = objects.enumerated().map { (Self.prefix + String($0.offset), $0.element as Any?) }
        return NSPredicate(tree.substituting(values: Dictionary(uniqueKeysWithValues: values)))
    }
}

extension PredicateTree {
    /// The tree with expressions in the places of objects; nil leaves an object there.
    fileprivate func replacingObjects(_ replace: (Any) -> ExpressionTree?) -> PredicateTree {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.replacingObjects(replace)
            comparison.right = comparison.right.replacingObjects(replace)
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { $0.replacingObjects(replace) })
        case .or(let parts): return .or(parts.map { $0.replacingObjects(replace) })
        case .not(let part): return .not(part.replacingObjects(replace))
        }
    }
}

extension ExpressionTree {
    /// The expression with others in the places of objects, as far as a query's predicate can have them.
    fileprivate func replacingObjects(_ replace: (Any) -> ExpressionTree?) -> ExpressionTree {
        switch self {
        case .constant(.object(let object)): return replace(object.base) ?? self
        case .constant(.list(let values)):
            let elements = values.map { ExpressionTree.constant($0).replacingObjects(replace) }
            return .list(elements)
        case .aggregate(let elements): return .aggregate(elements.map { $0.replacingObjects(replace) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { $0.replacingObjects(replace) })
        default: return self
        }
    }
}

extension NSPredicate {
    /// Whether two predicates mean the same: those made of blocks only where they are one.
    func meansTheSame(as other: NSPredicate) -> Bool {
        guard let tree, let its = other.tree else { return self === other }
        return tree == its
    }
}
