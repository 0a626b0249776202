public import Foundation
internal import RecordModel
internal import SignInClient

/// Signing a person in to a container from a program, and out.
///
/// ```swift
/// let account = StratusAccount(container: .default())
/// if account.userRecordID == nil {
///     try await account.signIn { code in
///         print("Open \(code.page) and enter \(code.text)")
///     }
/// }
/// ```
///
/// The container is the user's from then on: its requests, `accountStatus()` and `userRecordID()` follow, and
/// `CKAccountChanged` is posted. The token is kept in a file for the user's eyes only and replaced there as the service
/// replaces it, so the next start is signed in; programs that share the file follow each other.
///
/// On Apple's platforms this is untested, and the file is one of the app's own container.
public final class StratusAccount: Sendable {
    /// Where tokens are kept.
    public enum Keeping: Sendable {
        /// The file of `stratus login`: `stratus/credentials.json` below `XDG_CONFIG_HOME` or `~/.config`. It has one
        /// sign-in for each container of a server; one that was made with another API token is not used.
        case shared
        /// A file of the app's own, which is made with mode 0600.
        case file(URL)
        /// Only this process knows.
        case memory
    }

    /// What somebody needs to let this program in.
    public struct Code: Sendable, Hashable {
        /// What to enter.
        public var text: String
        /// Where to enter it, in any browser on any device.
        public var page: URL
        /// The same page with the code filled in, for a link or a picture.
        public var pageWithCode: URL
        /// When the code ends.
        public var expiresAt: Date
    }

    /// The container whose user signs in.
    public let container: CKContainer
    private let file: CredentialFile?

    /// Takes up what is kept of an earlier sign-in.
    ///
    /// A container that has a token already, by its configuration for example, keeps that one. Where the file cannot be
    /// read, nobody is signed in, and signing in says why.
    /// - Parameters:
    ///   - container: the container; its configuration has to name the service and an API token.
    ///   - keeping: where the token is kept.
    public init(container: CKContainer = .default(), keeping: Keeping = .shared) {
        self.container = container
        file =
            switch keeping {
            case .shared: CredentialFile()
            case .file(let url): CredentialFile(path: url.path)
            case .memory: nil
            }
        guard container.tokens.current == nil, var keeper = keeper() else { return }
        // A file that cannot be read is like none: somebody signs in again, and saving then says why it cannot.
        let kept = try? keeper.load()
        begin(kept, keeper)
        if kept != nil { container.tellAccountChange() }
    }

    /// The user's record, as far as it is known without asking the service; nil where nobody signed in here.
    public var userRecordID: CKRecord.ID? {
        container.tokens.user.map { CKRecord.ID(recordName: $0) }
    }

    /// Signs somebody in by a code (RFC 8628), which needs no browser on this machine.
    ///
    /// It waits until the code was entered, for ten minutes at most.
    /// - Parameters:
    ///   - name: what the page, and the list of the user's sessions, call this program; nil for its own name and that of
    ///     the machine.
    ///   - present: shows the code and the address. When it returns, waiting goes on; when it throws, signing in ends.
    /// - Returns: the ID of the user's record.
    /// - Throws: `CKError.notAuthenticated` where somebody said no or nobody came; other `CKError`s where the service cannot
    ///   be asked or the token not be kept; what `present` throws.
    @discardableResult
    public func signIn(
        as name: String? = nil, present: @Sendable (Code) async throws -> Void
    ) async throws -> CKRecord.ID {
        let device = DeviceSignIn(try server())
        let codes = try await translating { try await device.begin(as: name ?? Self.programName) }
        guard let page = URL(string: codes.page), let whole = URL(string: codes.wholePage) else {
            throw CKError(.serverRejectedRequest, "The service's answer is not one of a record service.")
        }
        try await present(
            Code(
                text: codes.userCode, page: page, pageWithCode: whole,
                expiresAt: Date(timeIntervalSinceNow: Double(codes.lifetimeSeconds))))
        return try await take(try await translating { try await device.wait(for: codes) })
    }

    /// Signs somebody in with the browser of this machine (RFC 8252), which comes back to a port of this program.
    ///
    /// The API token has to allow it: `stratus token create --callback http://127.0.0.1/`; in development one without a
    /// callback and origins does, too. It waits for ten minutes at most.
    /// - Parameters:
    ///   - name: what the list of the user's sessions calls this program; nil for its own name and that of the machine.
    ///   - open: opens an address in the browser. When it throws, signing in ends.
    /// - Returns: the ID of the user's record.
    /// - Throws: as ``signIn(as:present:)``.
    @discardableResult
    public func signInWithBrowser(
        as name: String? = nil, open: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> CKRecord.ID {
        let server = try server()
        guard let base = container.serviceURL.map(Self.plain) else {
            throw CKError(
                .badContainer, "The address of the service is not known.",
                remedy: "Name it in the container's configuration, or sign in by a code.")
        }
        let browser = BrowserSignIn(server, baseURL: base)
        let granted = try await translating {
            try await browser.signIn(as: name ?? Self.programName) { address in
                guard let url = URL(string: address) else {
                    throw CKError(.badContainer, "'\(base)' is not the address of a record service.")
                }
                try await open(url)
            }
        }
        return try await take(granted)
    }

    /// Signs out: ends the session at the service, and forgets the token here.
    ///
    /// - Throws: `CKError` where the service could not be asked or the file not be written. The container has no user in
    ///   either case; a session that could not be ended ends by itself when it is not used.
    public func signOut() async throws {
        let token = container.tokens.current
        var problem: (any Error)?
        var keeper = keeper()
        do { try keeper?.forget() } catch { problem = error }
        begin(nil, keeper)
        container.tellAccountChange()
        if let token {
            let server = try server()
            try await translating { try await server.revoke(token) }
        }
        if let problem { throw CKError(signingIn: problem) }
    }

    // MARK: Details

    private func take(_ granted: SignInServer.Granted) async throws -> CKRecord.ID {
        let before = container.tokens.current
        let signIn = KeptSignIn(token: granted.token, user: granted.user)
        var keeper = keeper()
        let problem: (any Error)?
        do {
            try keeper?.keep(signIn)
            problem = nil
        } catch {
            problem = error
        }
        begin(signIn, problem == nil ? keeper : nil)
        container.tellAccountChange()
        // Whoever was signed in before is not any more; the service need not be asked twice for that.
        if let before, let server = try? server() { try? await server.revoke(before) }
        if let problem { throw CKError(signingIn: problem) }
        return CKRecord.ID(recordName: granted.user)
    }

    private func begin(_ signIn: KeptSignIn?, _ keeper: FileTokenKeeper?) {
        container.tokens.begin(signIn, keptBy: keeper) { [weak container] in container?.tellAccountChange() }
    }

    private func keeper() -> FileTokenKeeper? {
        guard let file, let url = container.serviceURL, let tenant = container.tenant,
            let apiToken = client.apiToken
        else { return nil }
        return FileTokenKeeper(file: file, url: url, tenant: tenant, apiToken: apiToken)
    }

    private var client: ServiceClient { container.publicCloudDatabase.client }

    private func server() throws(CKError) -> SignInServer {
        let client = client
        guard let tenant = container.tenant else {
            throw CKError(.badContainer, "'\(client.container)' is not the name of a container.")
        }
        guard let apiToken = client.apiToken else {
            throw CKError(
                .badContainer, "The container has no API token.",
                remedy: "Set STRATUS_API_TOKEN, or apiToken in its configuration.")
        }
        return SignInServer(tenant: tenant, apiToken: apiToken) { path, form in
            let answer = try await client.transport.send(
                TransportRequest(
                    path: path, body: form, timeout: 30, contentType: "application/x-www-form-urlencoded"))
            return SignInServer.Answer(status: answer.status, body: answer.body)
        }
    }

    private func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            // What the app's own closure throws stays as it is.
            let isOurs = error is SignInProblem || error is TransportError || error is CancellationError
            throw isOurs ? CKError(signingIn: error) : error
        }
    }

    private static var programName: String {
        "\(ProcessInfo.processInfo.processName) on \(ProcessInfo.processInfo.hostName)"
    }

    private static func plain(_ url: URL) -> String {
        url.absoluteString.hasSuffix("/") ? String(url.absoluteString.dropLast()) : url.absoluteString
    }
}

extension CKContainer {
    /// The container and the environment, as the service names them; nil for a name that is none.
    var tenant: Tenant? {
        let client = publicCloudDatabase.client
        return (try? ContainerID(client.container)).map {
            Tenant(container: $0, environment: client.environment)
        }
    }

    /// Posts `CKAccountChanged`.
    func tellAccountChange() { NotificationCenter.default.post(name: .CKAccountChanged, object: self) }
}

extension CKError {
    /// The CloudKit error for what signing in throws.
    init(signingIn error: any Error) {
        guard let problem = error as? SignInProblem else {
            self.init(any: error)
            return
        }
        let code: Code =
            switch problem.code {
            case .unknownApp, .denied, .late: .notAuthenticated
            case .busy: .requestRateLimited
            case .badAnswer: .serverRejectedRequest
            case .file: .permissionFailure
            case .noListener: .internalError
            }
        var info: [String: Any] = [:]
        info[CKErrorRetryAfterKey] = problem.retryAfterSeconds.map { NSNumber(value: $0) }
        self.init(code, problem.sentence, remedy: problem.remedy, userInfo: info)
    }
}
