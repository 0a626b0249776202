/// A type whose declaration is known well enough to name it in a symbol.
indirect enum ResolvedType: Hashable, Sendable {
    /// A class, structure or enumeration with its generic arguments.
    case nominal(NominalType, [ResolvedType])
    case optional(ResolvedType)
    /// `any P`, or `Any` where there are no protocols.
    case existential([NominalType])
    /// `AnyObject`.
    case anyObject
    case tuple([ResolvedType])

    static let any = ResolvedType.existential([])
}

/// A named type and where it is declared.
struct NominalType: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case `class` = "C"
        case structure = "V"
        case enumeration = "O"
        case `protocol` = "P"
    }

    struct Component: Hashable, Sendable {
        var name: String
        var kind: Kind
        /// Set where the type is private to a file.
        var discriminator: String?
    }

    var module: String
    /// From the outermost type to this one.
    var path: [Component]

    var kind: Kind? { path.last?.kind }
    /// `Outer.Inner`.
    var qualifiedName: String { path.map { Spelling.escaped($0.name) }.joined(separator: ".") }
}

extension ResolvedType {
    /// The type as source text.
    var source: String {
        switch self {
        case .nominal(let type, let arguments):
            return type.qualifiedName
                + (arguments.isEmpty ? "" : "<" + arguments.map(\.source).joined(separator: ", ") + ">")
        case .optional(let wrapped):
            if case .existential(let protocols) = wrapped, !protocols.isEmpty {
                return "(\(wrapped.source))?"
            }
            return wrapped.source + "?"
        case .existential(let protocols):
            return protocols.isEmpty
                ? "Any" : "any " + protocols.map(\.qualifiedName).joined(separator: " & ")
        case .anyObject: return "AnyObject"
        case .tuple(let elements): return "(" + elements.map(\.source).joined(separator: ", ") + ")"
        }
    }
}
