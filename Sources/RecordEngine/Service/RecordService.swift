public import RecordModel
public import RecordStorage
public import RecordWire

/// What the service needs from the world around it: all of it comes in here, so that a test decides it.
public struct ServiceEnvironment: Sendable {
    /// Milliseconds since 1970.
    public var now: @Sendable () -> Int64
    /// So many random bytes.
    public var random: @Sendable (Int) -> [UInt8]

    /// Takes a clock and a source of randomness.
    public init(now: @escaping @Sendable () -> Int64, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.now = now
        self.random = random
    }
}

/// One request, as far as it matters to the service.
public struct ServiceCall: Sendable {
    /// What is asked for.
    public var endpoint: Endpoint
    /// Of whom.
    public var tenant: Tenant
    /// In which of the tenant's databases.
    public var scope: DatabaseScope
    /// What the client shows to be let in.
    public var credentials: Credentials
    /// The request's body.
    public var body: [UInt8]
    /// The id under which the log has the request.
    public var requestID: String
    /// The address by which the client reached the service, without a `/` at its end; addresses in answers
    /// begin with it.
    public var baseURL: String
    /// Tells clients apart that are not signed in, so that one of them does not take what all of an app may have: where it comes
    /// from, say. Nil where that is not known.
    public var client: String?
    /// The languages that the client asks for (`Accept-Language`); empty for none.
    public var languages = ""
    /// Whether the answer should tell the state of the zone's change feed (`getCurrentSyncToken`).
    public var wantsSyncToken = false
    /// The operator who asks; such a request needs no credentials.
    public var administration: Administration?
    /// Where the memory of the answer counts; nil where nobody counts it.
    public var room: RequestRoom?

    /// Creates a request.
    public init(
        endpoint: Endpoint, tenant: Tenant, scope: DatabaseScope, credentials: Credentials, body: [UInt8],
        requestID: String, baseURL: String = "http://localhost", administration: Administration? = nil
    ) {
        self.endpoint = endpoint
        self.tenant = tenant
        self.scope = scope
        self.credentials = credentials
        self.body = body
        self.requestID = requestID
        self.baseURL = baseURL
        self.administration = administration
    }
}

/// The service's answer to one request.
public struct ServiceAnswer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The body, always a JSON object.
    public var body: [UInt8]
    /// What the log keeps of the request.
    public var trace: ServiceTrace

    /// Creates an answer.
    public init(status: Int, body: [UInt8], trace: ServiceTrace) {
        self.status = status
        self.body = body
        self.trace = trace
    }
}

/// What the log keeps of a request; nothing of what records hold.
public struct ServiceTrace: Sendable {
    /// Who sent it.
    public var user: String?
    /// The error's code, where it failed as a whole.
    public var code: ServiceError.Code?
    /// The error with its cause, where it failed as a whole.
    public var error: (any Error)?
    /// How a query found its rows.
    public var plan: ScanPlan?
    /// How many records were answered or changed.
    public var items = 0
    /// How many of them failed.
    public var failedItems = 0
    /// The first of those that failed, each with its error; at most `Limits/tracedItemFailures`.
    public var itemFailures: [ItemFailure] = []
    /// The record type that a query asks for, or the first one that is saved.
    public var recordType: String?
    /// What the request needs and production's schema lacks.
    public var gaps: [SchemaGap] = []

    /// An empty trace.
    public init() {}
}

/// The record service: CloudKit's rules over a store, without a socket and without a clock of its own.
///
/// ``answer(_:admitted:)`` is all there is: a request goes in, a status and JSON come out, and nothing is thrown. The
/// HTTP server and the in-process cloud for tests are built on it, so both follow the same rules.
public final class RecordService: Sendable {
    let store: any RecordStore
    let secret: ServiceSecret
    let environment: ServiceEnvironment
    let indexes: IndexRules
    /// How many bytes may be stored.
    public let quotas: StorageQuotas
    let assets: AssetLibrary?
    let hub: ChangeHub
    let liveTurns = ConcurrencyLimiter(width: 16)
    let conditions = ConditionEvaluator()
    let desk: DeliveryState
    let webhookCounts = WebhookCounts()
    let pushCounts = WebhookCounts()
    let discoveries = DiscoveryLimits(most: Limits.userLookupsPerHour, of: "people")
    let linkLookups = DiscoveryLimits(most: Limits.linkLookupsPerHour, of: "links")
    let invitationMails = InvitationMails()
    let refusedWrites = RefusedWrites()
    let authenticator: Authenticator
    /// Whether errors name the address of a sign-in page, which is somebody else's to serve.
    let hasSignInPage: Bool

    /// Makes a service over a store, and over a place for files where there is one.
    public init(
        store: any RecordStore, secret: ServiceSecret, environment: ServiceEnvironment,
        indexes: IndexRules = .open, quotas: StorageQuotas = StorageQuotas(),
        assets: (any AssetStore)? = nil, hasSignInPage: Bool = false
    ) {
        // Whoever gives a store with keys of its own keeps them.
        let store = SealedStore(
            store, keys: SealingKeys(random: environment.random) { MasterKey(of: secret) })
        self.hasSignInPage = hasSignInPage
        self.assets = assets.map { AssetLibrary(store: $0, uses: UploadUses(start: environment.now())) }
        self.store = AuditedStore(store)
        self.secret = secret
        self.quotas = quotas
        self.environment = environment
        self.indexes = indexes
        authenticator = Authenticator(store: store, environment: environment)
        hub = ChangeHub(store: store)
        desk = DeliveryState(store: store, now: environment.now)
    }

    /// Answers one request. Every failure is an answer as well: a status and an error dictionary.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - admitted: what ``admit(_:)`` gave for the same request, which is then not asked for again.
    public func answer(_ call: ServiceCall, admitted: Admission? = nil) async -> ServiceAnswer {
        var trace = ServiceTrace()
        do {
            let context = try await context(for: call, admitted: admitted)
            switch context.caller {
            case .user(let name): trace.user = name
            case .administrator: trace.user = context.caller.userRecordName
            case .anonymous: break
            }
            let output = try await dispatch(call, context, &trace)
            trace.plan = output.plan
            trace.items = output.items
            trace.failedItems = output.failedItems
            trace.itemFailures = output.itemFailures
            trace.gaps = output.gaps
            log(output.refused, context)
            invitationMails.deliver(output.invitations, context)
            return ServiceAnswer(status: output.status, body: output.body, trace: trace)
        } catch {
            let failure = leadingToSignIn(ServiceError(describing: error), call)
            trace.code = failure.code
            trace.gaps = failure.gaps
            trace.error = error
            return ServiceAnswer(
                status: failure.httpStatus, body: failure.json(uuid: call.requestID), trace: trace)
        }
    }

    /// The error with the address at which to sign in, where that is what has to be done and a page is served.
    func leadingToSignIn(_ error: ServiceError, _ call: ServiceCall) -> ServiceError {
        guard error.code == .authenticationRequired, hasSignInPage, let token = call.credentials.apiToken
        else {
            return error
        }
        var error = error
        let place = "\(call.tenant.container)/\(call.tenant.environment.rawValue)"
        error.redirectURL = "\(call.baseURL)/sign-in/\(place)?ckAPIToken=\(token)"
        return error
    }

    /// - Parameters:
    ///   - isWhole: whether the call has its body, for which a signature has to be good.
    ///   - isRenewal: whether the answer goes on already, and what may be done is looked at again.
    func context(for call: ServiceCall, isWhole: Bool, isRenewal: Bool = false) async throws -> CallContext {
        let now = environment.now()
        let (caller, isTokenDue, origin): (Caller, Bool, ReceiverOrigin?) =
            if let operatorAtWork = call.administration {
                (Caller.administrator(operatorAtWork.name), false, nil)
            } else {
                try await authenticator.caller(
                    call.credentials, body: isWhole ? call.body : nil, tenant: call.tenant,
                    isRenewal: isRenewal,
                    now: now)
            }
        if call.scope != .public, call.credentials.signature != nil, call.administration == nil {
            throw ServiceError(
                .accessDenied, "A server-to-server key reaches the public database only.",
                remedy: "Use a user's 'ckWebAuthToken' for a private database.")
        }
        let owner: String?
        var pass: SharePass?
        switch (call.scope, caller) {
        case (.public, _): owner = nil
        case (.private, .user(let name)): owner = name
        case (.private, .administrator):
            guard let name = call.administration?.owner else {
                throw ServiceError(.badRequest, "The request does not say whose private database it is for.")
            }
            owner = name
        // Whose zones are meant, each of them says; until then nothing but the caller's own name is known.
        case (.shared, .user(let name)): owner = name
        case (.shared, .administrator):
            guard let name = call.administration?.owner else {
                throw ServiceError(.badRequest, "The request does not say whose shared database it is for.")
            }
            owner = name
        case (.shared, .anonymous):
            pass = try SharePass(call, now: now, secret: secret)
            owner = nil
        case (.private, .anonymous): throw ServiceError.needsUser
        }
        let roles =
            call.scope == .public
            ? try await authenticator.roles(
                of: caller, declared: store.schema(of: call.tenant).roles, tenant: call.tenant, now: now)
            : []
        var context = CallContext(
            tenant: call.tenant, database: DatabaseID(tenant: call.tenant, owner: owner), caller: caller,
            roles: roles, now: now,
            requestID: call.requestID, baseURL: call.baseURL, indexes: indexes,
            party: Self.party(of: caller, call), requestBytes: call.body.count, isTokenDue: isTokenDue,
            origin: origin, wantsSyncToken: call.wantsSyncToken, room: call.room)
        context.scope = call.scope
        context.languages = call.languages
        context.pass = pass
        return context
    }

    /// For whom the reads of a call are: a user, or who uses an app from one place without being signed in.
    private static func party(of caller: Caller, _ call: ServiceCall) -> ReadParty {
        switch caller {
        case .administrator(let name): .administrator(name)
        case .user(let name): ReadParty(tenant: call.tenant, name: name)
        case .anonymous:
            ReadParty(
                tenant: call.tenant,
                name: "\(call.credentials.apiToken ?? "")\(call.client.map { " " + $0 } ?? "")")
        }
    }

    private func dispatch(
        _ call: ServiceCall, _ context: CallContext, _ trace: inout ServiceTrace
    ) async throws -> ServiceOutput {
        switch call.endpoint {
        case .recordsQuery, .recordsCount:
            let request: RecordsQueryRequest = try decode(call.body)
            trace.recordType = request.query.recordType
            return try await call.endpoint == .recordsCount
                ? count(request, context) : query(request, context)
        case .recordsModify:
            let request: RecordsModifyRequest = try decode(call.body)
            trace.recordType = request.operations.lazy.compactMap(\.record.recordType).first
            let key = try IdempotencyKey(request.idempotencyKey, of: call, context)
            return try await repeatable(key) { try await modify(request, key, context) }
        case .recordsLookup: return try await lookup(decode(call.body), context)
        case .recordsVersions: return try await versions(decode(call.body), context)
        case .recordsChanges: return try await recordChanges(decode(call.body), context)
        case .recordsResolve: return try await resolve(decode(call.body), context)
        case .recordsAccept: return try await accept(decode(call.body), context)
        case .recordsRequestAccess: return try await requestAccess(decode(call.body), context)
        case .zonesList: return try await listZones(context)
        case .zonesLookup: return try await lookupZones(decode(call.body), context)
        case .zonesModify:
            let request: ZonesModifyRequest = try decode(call.body)
            let key = try IdempotencyKey(request.idempotencyKey, of: call, context)
            return try await repeatable(key) { try await modifyZones(request, key, context) }
        case .zonesChanges: return try await changedZones(decode(call.body), context)
        case .changesDatabase: return try await databaseChanges(decode(call.body), context)
        case .changesZone: return try await zoneChanges(decode(call.body), context)
        case .assetsUpload: return try await uploadTokens(decode(call.body), context)
        case .assetsRereference: return try await rereference(decode(call.body), context)
        case .usersCaller, .usersCurrent: return try await identity(call, context)
        case .usersDiscover: return try await discover(decode(call.body), call, context)
        case .usersLookupEmail, .usersLookupID: return try await lookUpUsers(decode(call.body), call, context)
        case .storageUsage: return try await usage(context)
        case .subscriptionsList: return try await listSubscriptions(context)
        case .subscriptionsLookup: return try await lookupSubscriptions(decode(call.body), context)
        case .subscriptionsModify:
            let request: SubscriptionsModifyRequest = try decode(call.body)
            let key = try IdempotencyKey(request.idempotencyKey, of: call, context)
            return try await repeatable(key) { try await modifySubscriptions(request, key, context) }
        case .tokensCreate: return try await createToken(decode(call.body), context)
        case .tokensRegister: return try await registerToken(decode(call.body), context)
        case .tokensUnregister: return try await unregisterToken(decode(call.body), context)
        case .recordsLive, .recordsLiveCount:
            throw ServiceError(
                .badRequest, "'\(call.endpoint.rawValue)' answers with a stream of events.",
                remedy: "Use GET, with the body of 'records/query' as the member 'query' of the address.")
        }
    }

    /// Makes a change. Whoever sent a key may repeat it, though nobody knows whether it was done.
    private func repeatable(
        _ key: IdempotencyKey?, _ change: () async throws -> ServiceOutput
    ) async throws -> ServiceOutput {
        do {
            return try await change()
        } catch let error as StorageError where error.isOutcomeUnknown && key != nil {
            var failure = ServiceError(
                .tryAgainLater,
                "The service lost its database; repeated with its 'idempotencyKey', the request is done once.",
                cause: error)
            failure.retryAfterSeconds = 1
            throw failure
        }
    }

    func decode<Request: WireRequest>(_ body: [UInt8]) throws -> Request {
        do {
            // Some requests need nothing, and clients then send nothing.
            let json =
                body.isEmpty
                ? .object(JSONObject())
                : try JSONReader.read(
                    body, maximumDepth: Limits.jsonDepth, maximumTreeBytes: Limits.jsonTreeBytes)
            guard let object = json.object else { throw JSONError.shape("The body must be a JSON object.") }
            return try Request(json: object)
        } catch let error as JSONError {
            throw ServiceError(error)
        }
    }
}

/// A request whose sender is known.
struct CallContext: Sendable {
    var tenant: Tenant
    /// Whose database the request is in. In the shared database that is the caller's own name until a zone is entered, which says
    /// whose it is: ``entering(_:_:)``.
    var database: DatabaseID
    /// Which of the databases the address names.
    var scope = DatabaseScope.private
    /// What lets the caller into a zone of somebody else; nil before one is entered, and in the other databases.
    var access: ZoneAccess?
    /// What a visitor without an account shows.
    var pass: SharePass?
    var caller: Caller
    /// The security roles that operators gave to the caller; in public databases.
    var roles: [String] = []
    var now: Int64
    var requestID: String
    var baseURL: String
    var indexes = IndexRules.open
    /// For whom the store reads.
    var party = ReadParty.service
    /// The length of the request's body.
    var requestBytes = 0
    /// Whether the answer should bring the caller another web auth token.
    var isTokenDue = false
    /// The caller's session or tokens, with which the receivers end that it registers; nil for who has none.
    var origin: ReceiverOrigin?
    /// Whether answers about records tell the state of their zone's change feed.
    var wantsSyncToken = false
    /// Where the memory of the answer counts; nil where nobody counts it.
    var room: RequestRoom?
    /// The languages that the client asks for; empty for none.
    var languages = ""

    /// What queries need of the schema. Development makes indexes by itself, and operators look at everything.
    var indexRules: IndexRules {
        if case .administrator = caller { return .open }
        return tenant.environment == .production ? indexes : .open
    }

    /// What the caller may do.
    var rights: AccessRights { AccessRights(of: caller, roles: roles, in: database, access: access) }

    /// Whether answers say which zone a record is in: in all databases but public ones, as with Apple.
    var answersZones: Bool { database.owner != nil }

    /// The JSON that names a zone after a record's own members.
    func zoneSuffix(_ zoneName: String) -> [UInt8] {
        guard answersZones else { return [] }
        return Array(",\"zoneID\":".utf8) + JSONWriter.text { $0.zoneDictionary(zoneName, self) }
    }
}

/// What an endpoint gives.
struct ServiceOutput: Sendable {
    var status = 200
    var body: [UInt8]
    var plan: ScanPlan?
    var items = 0
    var failedItems = 0
    var itemFailures: [ItemFailure] = []
    var gaps: [SchemaGap] = []
    /// The writes that the caller has no right to, by record types.
    var refused: [String: RefusedWrite] = [:]
    /// What people are to be told of by mail.
    var invitations: [ShareInvitation] = []

    init(_ write: (inout JSONWriter) throws -> Void) rethrows {
        var writer = JSONWriter()
        try write(&writer)
        body = writer.bytes
    }

    init(body: [UInt8], plan: ScanPlan? = nil, items: Int = 0, failedItems: Int = 0) {
        self.body = body
        self.plan = plan
        self.items = items
        self.failedItems = failedItems
    }
}
