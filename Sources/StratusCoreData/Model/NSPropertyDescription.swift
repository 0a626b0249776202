/// What attributes, relationships and fetched properties of an entity have in common.
///
/// Unchecked sendable: mutable only until its model is used by a coordinator, see `ModelFreeze`.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
    let freeze = ModelFreeze()
    /// The entity that declares the property. A subentity shares its parent's description.
    open internal(set) weak var entity: NSEntityDescription!

    /// The key under which objects offer the value.
    open var name: String = "" { willSet { freeze.requireMutable() } }
    /// Whether an object may be saved without a value. True unless said otherwise.
    open var isOptional = true { willSet { freeze.requireMutable() } }
    /// Whether the value is only in memory.
    open var isTransient = false { willSet { freeze.requireMutable() } }
    /// Whether an index is asked for, in models of before 2017.
    open var isIndexed = false { willSet { freeze.requireMutable() } }
    /// Kept for source compatibility; nothing reads it.
    open var isIndexedBySpotlight = false { willSet { freeze.requireMutable() } }
    /// Kept for source compatibility; nothing reads it.
    open var isStoredInExternalRecord = false { willSet { freeze.requireMutable() } }
    /// The app's own notes. They may be changed while the model is in use, as CoreDataPlus does with those of a fetched
    /// property (https://github.com/alemar11/CoreDataPlus, ProgrammaticallyDefinedModel_Tests.swift).
    open var userInfo: [AnyHashable: Any]? {
        get { notesLock.withLock { ownUserInfo } }
        set { notesLock.withLock { ownUserInfo = newValue } }
    }
    private var ownUserInfo: [AnyHashable: Any]?
    private let notesLock = PlainLock()
    /// Makes the version hash differ where the description does not.
    open var versionHashModifier: String? { willSet { freeze.requireMutable() } }
    /// What distinguishes versions of the property: 32 bytes.
    ///
    /// Made of the name, whether it is optional and transient, the type or the relationship's destination,
    /// bounds, delete rule, order and inverse, and the hash modifier. Not of defaults, validation or user info.
    /// Apple's own bytes are not known, so the hashes differ from those of Apple's platforms.
    open var versionHash: Data { makeVersionHash() }
    /// The name in the model version before, for migration; its own name where none is set.
    open var renamingIdentifier: String? {
        get { ownRenamingIdentifier ?? name }
        set {
            freeze.requireMutable()
            ownRenamingIdentifier = newValue
        }
    }
    var ownRenamingIdentifier: String?

    /// What a value has to fulfil: predicates whose `SELF` is the value, those of the bounds in a model file first.
    open var validationPredicates: [NSPredicate] { boundRules.map(\.predicate) + furtherPredicates }
    /// What is reported for each of the predicates: texts or error codes.
    open var validationWarnings: [Any] { boundRules.map(\.code) + furtherWarnings }
    /// The bounds as predicates; validation itself reads the bounds, which is faster.
    var boundRules: [(predicate: NSPredicate, code: Int)] { [] }
    var furtherPredicates: [NSPredicate] = []
    var furtherWarnings: [Any] = []

    /// Sets what a value has to fulfil, and what is reported where it does not; bounds that a model file gave are
    /// replaced too.
    open func setValidationPredicates(
        _ predicates: [NSPredicate]?, withValidationWarnings warnings: [String]?
    ) {
        freeze.requireMutable()
        removeBounds()
        furtherPredicates = predicates ?? []
        furtherWarnings = warnings ?? []
    }

    func removeBounds() {}

    /// Makes a description without a name.
    public override init() { super.init() }

    open override var description: String { "\(type(of: self)) \(entity?.name ?? "?").\(name)" }

    /// A copy that belongs to no entity yet.
    func copied() -> NSPropertyDescription {
        let copy = makeEmptyCopy()
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.isIndexed = isIndexed
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isStoredInExternalRecord = isStoredInExternalRecord
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.ownRenamingIdentifier = ownRenamingIdentifier
        copy.furtherPredicates = furtherPredicates
        copy.furtherWarnings = furtherWarnings
        return copy
    }

    /// A copy that can be changed and belongs to no entity; a relationship's leads where the original does.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// Properties are equal when all that is said of them is, with the names of their entities.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return self === other || (name == other.name && ModelDescriber.areEqual(self, other))
    }

    open override var hash: Int { name.hashValue }

    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }
}
