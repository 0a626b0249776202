/// A property whose value is the result of a fetch request.
public struct FetchedPropertyDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether the model marks it optional.
    public var isOptional: Bool
    /// The request; `$FETCH_SOURCE` and `$FETCHED_PROPERTY` stand for the object and the property.
    public var fetchRequest: FetchRequestDocument?
    /// The name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that changes the version hash without changing the property.
    public var versionHashModifier: String?
    /// Free text entries of the model's author.
    public var userInfo: [String: String]

    /// Makes a fetched property.
    public init(
        name: String, isOptional: Bool = false, fetchRequest: FetchRequestDocument? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.isOptional = isOptional
        self.fetchRequest = fetchRequest
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}

/// A fetch request template of a model, or the request of a fetched property.
public struct FetchRequestDocument: Sendable, Hashable {
    /// The name of the template.
    public var name: String
    /// The entity that is fetched.
    public var entityName: String?
    /// The predicate as a format string, with `$VARIABLES`.
    public var predicateFormat: String?
    /// The keys to sort by.
    public var sortKeys: [FetchSortDocument]
    /// The largest number of results; 0 means any.
    public var fetchLimit: Int
    /// The number of results to skip.
    public var fetchOffset: Int
    /// The number of objects loaded at once; 0 means all.
    public var fetchBatchSize: Int
    /// The kind of result; numbers are those of Apple's `NSFetchRequestResultType`, 0 for objects.
    public var resultType: Int
    /// Whether objects of subentities are fetched.
    public var includesSubentities: Bool
    /// Whether values are loaded with the objects.
    public var includesPropertyValues: Bool
    /// Whether unsaved changes are seen.
    public var includesPendingChanges: Bool
    /// Whether the objects come as faults.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal results come once.
    public var returnsDistinctResults: Bool

    /// Makes a fetch request.
    public init(
        name: String, entityName: String? = nil, predicateFormat: String? = nil,
        sortKeys: [FetchSortDocument] = [], fetchLimit: Int = 0, fetchOffset: Int = 0,
        fetchBatchSize: Int = 0, resultType: Int = 0, includesSubentities: Bool = true,
        includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
        returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false
    ) {
        self.name = name
        self.entityName = entityName
        self.predicateFormat = predicateFormat
        self.sortKeys = sortKeys
        self.fetchLimit = fetchLimit
        self.fetchOffset = fetchOffset
        self.fetchBatchSize = fetchBatchSize
        self.resultType = resultType
        self.includesSubentities = includesSubentities
        self.includesPropertyValues = includesPropertyValues
        self.includesPendingChanges = includesPendingChanges
        self.returnsObjectsAsFaults = returnsObjectsAsFaults
        self.returnsDistinctResults = returnsDistinctResults
    }
}

/// One key that a fetch request sorts by; only archives hold them.
public struct FetchSortDocument: Sendable, Hashable {
    /// The key path.
    public var keyPath: String
    /// Whether small values come first.
    public var isAscending: Bool
    /// The name of the comparison method, nil for `compare:`.
    public var selectorName: String?

    /// Makes a sort key.
    public init(keyPath: String, isAscending: Bool = true, selectorName: String? = nil) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.selectorName = selectorName
    }
}
