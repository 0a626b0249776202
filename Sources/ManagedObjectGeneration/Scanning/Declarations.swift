/// Who may use a declaration, from few to all.
enum AccessLevel: Int, Comparable, Sendable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    init?(modifier: String) {
        switch modifier {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public": self = .public
        case "open": self = .open
        default: return nil
        }
    }

    static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rawValue < right.rawValue }

    /// Whether the symbols of such declarations name their file.
    var isPrivateToFile: Bool { self <= .fileprivate }
}

/// Where in a target something is written.
struct SourceLocation: Hashable, Sendable {
    var path: String
    var line: Int
}

/// What all declarations say.
struct DeclarationHead: Hashable, Sendable {
    var name: String
    var location: SourceLocation
    /// The types and extended types around it, outermost first.
    var context: [String]
    /// The conditions of the `#if` blocks around it.
    var conditions: [String]
    /// What the modifiers say, or the extension around it, or else internal.
    var access: AccessLevel
}

/// A type that a file declares.
struct TypeDeclaration: Hashable, Sendable {
    enum Keyword: String, Hashable, Sendable {
        case `class`, `struct`, `enum`, `protocol`, `actor`
    }

    var head: DeclarationHead
    var keyword: Keyword
    var isGeneric: Bool
    /// The types after the colon.
    var inherited: [TypeSyntax]
    /// What `@objc(Name)` calls it, by which models may name it.
    var objectiveCName: String?
}

/// A `typealias` that a file declares.
struct AliasDeclaration: Hashable, Sendable {
    var head: DeclarationHead
    var isGeneric: Bool
    var type: TypeSyntax
}

/// A property or a method with `@NSManaged`.
struct ManagedMember: Hashable, Sendable {
    struct Parameter: Hashable, Sendable {
        /// Nil for `_`.
        var label: String?
        var type: TypeSyntax
    }

    enum Kind: Hashable, Sendable {
        case property(TypeSyntax)
        case method([Parameter], TypeSyntax)
    }

    var head: DeclarationHead
    var kind: Kind
    var isInExtension: Bool
    /// What makes it something that no accessor can be generated for.
    var obstacle: String?
}

/// An `import` of a file.
struct ImportDeclaration: Hashable, Sendable {
    var module: String
    /// From its attributes to its end, without a modifier of access.
    var text: String
    var conditions: [String]
}

/// A use of Objective-C that Linux's compiler rejects.
struct ObjectiveCUse: Hashable, Sendable {
    var location: SourceLocation
    /// `@objc(Foo)` or `#keyPath(…)`.
    var text: String
}

/// What the generator wants to know of one file.
struct FileDeclarations: Sendable {
    var path: String
    var imports: [ImportDeclaration] = []
    var types: [TypeDeclaration] = []
    var aliases: [AliasDeclaration] = []
    var members: [ManagedMember] = []
    /// Properties of instances that have a body instead of a value; only types and extensions that can be named.
    var getters: [DeclarationHead] = []
    var objectiveC: [ObjectiveCUse] = []

    var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }
}
