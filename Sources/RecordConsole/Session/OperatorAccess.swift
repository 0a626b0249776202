import Crypto
import HTTPTypes
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Lets operators in: secrets, links that are good once, and the sessions that come of both.
///
/// The store knows digests only. A session is looked up at each request, so signing out and removing an operator
/// count at once.
struct OperatorAccess: Sendable {
    /// A browser that is signed in.
    struct Session: Sendable {
        var operatorName: String
        /// Whether the operator may look at everything and change nothing.
        var isReadOnly: Bool
        /// What forms of this session carry.
        var csrf: String
        fileprivate var digest: [UInt8]
    }

    /// What a secret or a link leads to.
    enum Entrance: Sendable {
        /// The console, by the cookie of a new session.
        case session(HTTPField)
        /// The second step, with the ticket for it.
        case secondStep(String)
    }

    /// Whom a secret or a link belongs to: what the write gives that takes it.
    struct Entry: Sendable {
        let operatorName: String
        /// Whether a session was opened; else the second step is to come.
        let isOpen: Bool
    }

    private let store: any RecordStore
    private let environment: ServiceEnvironment
    /// Whether nobody enters without a second step; where one was set up it is asked for in any case.
    private let needsSecondStep: Bool

    /// How long a browser stays signed in, in milliseconds: a working day.
    static let sessionMilliseconds: Int64 = 12 * 3_600_000

    /// Cookies know no ports: two servers of one machine must not take each other's session away.
    private static func cookieName(_ baseURL: String) -> String {
        let port = PublicPath.origin(of: baseURL).split(separator: ":").last.flatMap { Int($0) }
        return "stratus_session" + (port.map { "_\($0)" } ?? "")
    }

    init(store: any RecordStore, environment: ServiceEnvironment, needsSecondStep: Bool) {
        self.store = store
        self.environment = environment
        self.needsSecondStep = needsSecondStep
    }

    /// The session of the cookie that a request carries.
    func session(of request: SiteRequest) async throws -> Session? {
        guard let token = Cookies.value(Self.cookieName(request.baseURL), in: request.request),
            token.utf8.count == 64
        else {
            return nil
        }
        let digest = AccessToken.digest(token)
        let now = environment.now()
        let found = try await store.read(.short) { store throws -> (OperatorTokenRow, OperatorRow?)? in
            guard let row = try store.operatorToken(digest: digest),
                try !needsSecondStep || OperatorSteps.isOn(row.operatorName, store)
            else { return nil }
            return (row, try store.operators().first { $0.name == row.operatorName })
        }
        guard let (row, known) = found, row.kind == .session, row.expiresAt ?? 0 > now else { return nil }
        let csrf = AccessToken.make(random: Array(SHA256.hash(data: Array("csrf:\(token)".utf8))))
        return Session(
            operatorName: row.operatorName, isReadOnly: known?.isReadOnly ?? true, csrf: csrf, digest: digest)
    }

    /// Lets in whoever knows a secret or has a link's code, which is used up by that.
    ///
    /// - Returns: where it leads, and the operator's name; nil for an unknown or old token.
    func enter(_ token: String, kind: OperatorTokenRow.Kind, at baseURL: String) async throws -> (
        entrance: Entrance, operatorName: String
    )? {
        let digest = AccessToken.digest(token)
        let now = environment.now()
        // Whoever guesses must not make the disk work.
        guard try await store.read(.short, { try $0.operatorToken(digest: digest) })?.kind == kind else {
            return nil
        }
        let session = AccessToken.make(random: environment.random(32))
        let found = try await store.write { store throws -> Entry? in
            guard let row = try store.operatorToken(digest: digest), row.kind == kind,
                row.expiresAt ?? .max > now
            else { return nil }
            if kind == .link { try store.deleteOperatorToken(digest: digest) }
            try store.deleteOperatorTokens(expiredBefore: now)
            let name = row.operatorName
            guard try !needsSecondStep && !OperatorSteps.isOn(name, store) else {
                try store.insert(
                    OperatorTokenRow(
                        kind: .ticket, operatorName: name, createdAt: now,
                        expiresAt: now + OperatorSteps.ticketMilliseconds),
                    digest: AccessToken.digest(session))
                return Entry(operatorName: name, isOpen: false)
            }
            try Self.open(session, for: name, now: now, in: store)
            return Entry(operatorName: name, isOpen: true)
        }
        return found.map { entry in
            (
                entry.isOpen ? .session(Self.cookie(session, at: baseURL)) : .secondStep(session),
                entry.operatorName
            )
        }
    }

    /// Lets in whoever has passed both steps.
    ///
    /// - Throws: `AUTHENTICATION_FAILED` for who is no operator any more.
    func admit(_ operatorName: String, at baseURL: String) async throws -> HTTPField {
        let now = environment.now()
        let session = AccessToken.make(random: environment.random(32))
        try await store.write { store in
            guard try store.operators().contains(where: { $0.name == operatorName }) else {
                throw ServiceError(.authenticationFailed, "'\(operatorName)' is not an operator any more.")
            }
            try Self.open(session, for: operatorName, now: now, in: store)
        }
        return Self.cookie(session, at: baseURL)
    }

    /// Lets in without a secret: for the demo, whose tokens everybody knows.
    func enter(as operatorName: String, at baseURL: String) async throws -> HTTPField {
        let now = environment.now()
        let session = AccessToken.make(random: environment.random(32))
        try await store.write { store in
            if try !store.operators().contains(where: { $0.name == operatorName }) {
                try store.insert(OperatorRow(name: operatorName, createdAt: now))
            }
            try store.deleteOperatorTokens(expiredBefore: now)
            try Self.open(session, for: operatorName, now: now, in: store)
        }
        return Self.cookie(session, at: baseURL)
    }

    /// Ends a session.
    ///
    /// - Returns: the cookie that takes the old one away.
    func leave(_ session: Session, at baseURL: String) async throws -> HTTPField {
        try await store.write { try $0.deleteOperatorToken(digest: session.digest) }
        return HTTPField(
            name: .setCookie,
            value: "\(Self.cookieName(baseURL))=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict")
    }

    private static func open(
        _ session: String, for name: String, now: Int64, in store: any StoreWriter
    ) throws {
        try store.insert(
            OperatorTokenRow(
                kind: .session, operatorName: name, createdAt: now, expiresAt: now + sessionMilliseconds),
            digest: AccessToken.digest(session))
    }

    private static func cookie(_ session: String, at baseURL: String) -> HTTPField {
        // Over plain HTTP, which is for one's own machine, not every browser keeps a cookie that is Secure.
        HTTPField(
            name: .setCookie,
            value: "\(cookieName(baseURL))=\(session); Path=/console; Max-Age=\(sessionMilliseconds / 1000); "
                + "HttpOnly; SameSite=Strict" + (baseURL.hasPrefix("https://") ? "; Secure" : ""))
    }
}
