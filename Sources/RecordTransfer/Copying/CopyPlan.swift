public import RecordModel
public import RecordStorage

/// What is copied from a service, and whereto.
public struct CopyPlan: Sendable {
    /// The container and the environment here.
    public var tenant: Tenant
    /// The databases, of which the private one is ``identity``'s.
    public var scopes: [DatabaseScope]
    /// The types that are asked for in default zones, whose records no feed tells.
    public var types: [String]
    /// The user of the private database.
    public var identity: SourceIdentity?
    /// Whether records of default zones are deleted here that the service does not have any more.
    public var deletes: Bool

    /// Puts a plan together.
    public init(
        tenant: Tenant, scopes: [DatabaseScope], types: [String], identity: SourceIdentity?, deletes: Bool
    ) {
        assert(identity != nil || !scopes.contains(.private))
        self.tenant = tenant
        self.scopes = scopes
        self.types = types
        self.identity = identity
        self.deletes = deletes
    }

    func database(_ scope: DatabaseScope) -> DatabaseID {
        DatabaseID(tenant: tenant, owner: scope == .private ? identity?.here : nil)
    }
}

/// Where a copy goes.
public struct CopyTarget: Sendable {
    /// Keeps the records.
    public var store: any RecordStore
    /// Keeps the files.
    public var files: any AssetStore
    /// The clock, in milliseconds since 1970.
    public var now: @Sendable () -> Int64

    /// Names the places.
    public init(
        store: any RecordStore, files: any AssetStore, now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.files = files
        self.now = now
    }
}
