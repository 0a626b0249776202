/// A type as written.
indirect enum TypeSyntax: Hashable, Sendable {
    struct Component: Hashable, Sendable {
        var name: String
        var arguments: [TypeSyntax] = []
    }

    /// `A.B<C>`.
    case named([Component])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    case tuple([TypeSyntax])
    /// `any P` and `P & Q`.
    case existential([TypeSyntax])
    /// Anything that a managed property hardly has; the text says what.
    case other(String)

    static let void = TypeSyntax.tuple([])
}
