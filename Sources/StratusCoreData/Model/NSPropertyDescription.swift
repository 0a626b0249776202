/// What attributes, relationships and fetched properties of an entity have in common.
///
/// Unchecked sendable: mutable only until its model is used by a coordinator, see `ModelFreeze`.
open class NSPropertyDescription: NSObject, @unchecked Sendable {
    let freeze = ModelFreeze()
    /// The entity that declares the property. A subentity shares its parent's description.
    public internal(set) weak var entity: NSEntityDescription!

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
    /// The app's own notes.
    open var userInfo: [AnyHashable: Any]? { willSet { freeze.requireMutable() } }
    /// Makes the version hash differ where the description does not.
    open var versionHashModifier: String? { willSet { freeze.requireMutable() } }
    /// The name in the model version before, for migration; its own name where none is set.
    open var renamingIdentifier: String? {
        get { ownRenamingIdentifier ?? name }
        set {
            freeze.requireMutable()
            ownRenamingIdentifier = newValue
        }
    }
    var ownRenamingIdentifier: String?

    /// What a value has to fulfil: predicates whose `SELF` is the value.
    open internal(set) var validationPredicates: [NSPredicate] = []
    /// What is reported for each of the predicates: texts or error codes.
    open internal(set) var validationWarnings: [Any] = []

    /// Sets what a value has to fulfil, and what is reported where it does not.
    open func setValidationPredicates(
        _ predicates: [NSPredicate]?, withValidationWarnings warnings: [String]?
    ) {
        freeze.requireMutable()
        validationPredicates = predicates ?? []
        validationWarnings = warnings ?? []
    }

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
        copy.validationPredicates = validationPredicates
        copy.validationWarnings = validationWarnings
        return copy
    }

    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }
}
