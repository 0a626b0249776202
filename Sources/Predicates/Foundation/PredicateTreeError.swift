/// Why a Foundation predicate has no tree.
public struct PredicateTreeError: Error, Hashable, Sendable, CustomStringConvertible {
    private enum Kind: Hashable {
        case opaque(String)
        case unknownCompound(String)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// A predicate whose meaning is code: a block, or a subclass of another module.
    static func opaque(_ type: Any.Type) -> PredicateTreeError { PredicateTreeError(.opaque("\(type)")) }

    /// A compound of an unknown kind, or NOT of several parts.
    static func unknownCompound(_ type: Any.Type) -> PredicateTreeError {
        PredicateTreeError(.unknownCompound("\(type)"))
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String {
        switch kind {
        case .opaque: "OPAQUE_PREDICATE"
        case .unknownCompound: "UNKNOWN_COMPOUND"
        }
    }

    /// One sentence about what is wrong.
    public var message: String {
        switch kind {
        case .opaque(let type): "The meaning of this \(type) is code, which cannot be translated."
        case .unknownCompound(let type): "This \(type) does not join its parts by AND, OR or NOT."
        }
    }

    /// One sentence about what to do.
    public var remedy: String {
        "Make the predicate with NSPredicate(format:), NSPredicate(value:) or NSCompoundPredicate."
    }

    /// Everything, on two lines.
    public var description: String { "\(message) (\(code))\n\(remedy)" }
}
