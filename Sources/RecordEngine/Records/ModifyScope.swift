import RecordModel
import RecordStorage
import RecordWire

/// What the operations of one request share inside one write, and none of them changes: who asks for what, of which
/// store, and within which bounds. What is counted on the way is in objects, ``budget`` and ``promises``.
struct ModifyScope {
    let request: RecordsModifyRequest
    let context: CallContext
    let zone: ZoneRow
    let store: any StoreWriter
    let environment: ServiceEnvironment
    let secret: ServiceSecret
    /// What may be stored; nil for any number of bytes.
    let quotas: StorageQuotas?
    let rights: AccessRights
    /// What the operations have written.
    let budget: WriteBudget
    /// What operations count on before it is so.
    let promises: Promises
    /// What keeps the zone's shares in step with what is written.
    let shares: ShareKeeper
    /// What answers add to shares.
    let answers: ShareAnswers
    /// The address of a file in an answer.
    let assetURL: @Sendable (String) -> String?
    /// Whether nothing is hidden from the caller. Types that come with this request have the default grants, which hide
    /// nothing.
    private let readsAll: Bool

    /// - Parameter doubts: what earlier runs of the request have shown that nothing may count on.
    init(
        request: RecordsModifyRequest, context: CallContext, zone: ZoneRow, store: any StoreWriter,
        environment: ServiceEnvironment, secret: ServiceSecret, quotas: StorageQuotas?,
        doubts: Doubts
    ) throws {
        self.request = request
        self.context = context
        self.zone = zone
        self.store = store
        self.environment = environment
        self.secret = secret
        self.quotas = quotas
        rights = context.rights
        budget = WriteBudget(requestBytes: context.requestBytes)
        promises = Promises(of: request, doubts: doubts)
        let schema = try store.schema(of: context.tenant)
        assetURL = context.assetURLs(secret, areForEverybody: schema.filesAreReadableByEverybody)
        readsAll = rights.mayReadAll(of: schema)
        answers = try ShareAnswers(context, zone, store, secret)
        shares = ShareKeeper(answers.hierarchy, store, now: context.now)
    }

    /// What is shared with the caller, in somebody else's zone.
    var members: ShareMembers? { answers.members }

    /// Whether the caller may read a record of the request.
    func isReadable(_ name: String, in zone: ZoneRow, _ user: RecordRow? = nil) throws -> Bool {
        guard !readsAll else { return true }
        if let members { return try members.permission(ofRecordNamed: name) != .none }
        let schema = try store.schema(of: context.tenant)
        guard let origin = try store.origin(ofRecordNamed: name, in: zone.id) else {
            return rights.may(.read, recordOf: schema.users, madeBy: user?.createdBy ?? "")
        }
        return rights.may(.read, origin, in: schema)
    }

    /// Writes a record that was saved: to somebody who may not read it, its name, type, tag and stamps.
    func write(
        _ body: [UInt8], _ operation: RecordOperation, _ suffix: [UInt8], isReadable: Bool,
        to writer: inout JSONWriter
    ) throws {
        let selection = RecordBody.Selection(
            desiredKeys: isReadable ? operation.desiredKeys ?? request.desiredKeys : [],
            numbersAsStrings: operation.numbersAsStrings ?? request.numbersAsStrings, suffix: suffix,
            assetURL: assetURL)
        try body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
    }
}
