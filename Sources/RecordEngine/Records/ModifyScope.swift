import RecordModel
import RecordStorage
import RecordWire

/// What the operations of one request share inside one write, and none of them changes: who asks for what, of which
/// store, and within which bounds. What is counted on the way is in objects, ``budget`` and ``later``.
struct ModifyScope {
    let request: RecordsModifyRequest
    let context: CallContext
    let store: any StoreWriter
    let environment: ServiceEnvironment
    let secret: ServiceSecret
    /// What may be stored; nil for any number of bytes.
    let quotas: StorageQuotas?
    let rights: AccessRights
    /// What the operations have written.
    let budget: WriteBudget
    /// What later operations are to save.
    let later: LaterSaves
    /// The address of a file in an answer.
    let assetURL: @Sendable (String) -> String?
    /// Whether nothing is hidden from the caller. Types that come with this request have the default grants, which hide
    /// nothing.
    private let readsAll: Bool

    /// - Parameter distrusted: the records that are known to fail, so that nothing may count on them.
    init(
        request: RecordsModifyRequest, context: CallContext, store: any StoreWriter,
        environment: ServiceEnvironment, secret: ServiceSecret, quotas: StorageQuotas?,
        distrusted: Set<String>
    ) throws {
        self.request = request
        self.context = context
        self.store = store
        self.environment = environment
        self.secret = secret
        self.quotas = quotas
        rights = context.rights
        budget = WriteBudget(requestBytes: context.requestBytes)
        later = LaterSaves(of: request, distrusted: distrusted)
        let schema = try store.schema(of: context.tenant)
        assetURL = context.assetURLs(secret, areForEverybody: schema.filesAreReadableByEverybody)
        readsAll = rights.mayReadAll(of: schema)
    }

    /// Whether the caller may read a record of the request.
    func isReadable(_ name: String, in zone: ZoneRow, _ user: RecordRow? = nil) throws -> Bool {
        guard !readsAll else { return true }
        let schema = try store.schema(of: context.tenant)
        guard let origin = try store.origin(ofRecordNamed: name, in: zone.id) else {
            return rights.may(.read, recordOf: schema.users, madeBy: user?.createdBy ?? "")
        }
        return rights.may(.read, origin, in: schema)
    }
}
