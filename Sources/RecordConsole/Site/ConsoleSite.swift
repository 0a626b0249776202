import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel
public import RecordServer
public import RecordStorage

/// The console: what the service holds and does, to look at and to change in a browser.
///
/// Every page is rendered here and works without JavaScript; scripts add comfort. How a page is made:
/// 1. a file in `Pages/…` with an enum that lists its `Route`s, added to `Routes/all`;
/// 2. a template in `Templates/` and a struct with its names beside the routes, a `TemplatePage` added to
///    `Templates/pages`, rendered into the layout by `ConsoleContext/page(_:title:section:status:)`;
///    (times go in as `TimeModel` and come out as `{{#made}}{{>time}}{{/made}}`);
/// 3. what changes something is a POST with the form's `csrf` field (`{{csrf}}` in every template), ends in
///    `ConsoleContext/redirect(to:saying:)` and is done inside `ConsoleContext/doing(_:_:tenant:_:)`, which notes it in
///    the audit log in the same write (`ConsoleContext/audit(_:_:)` notes what was only looked at); a form with files is
///    a route with `body: .formWithFiles` that reads it with `ConsoleContext/readingForm(_:)`.
///
/// Data is read and written through `ConsoleContext/ask(_:_:)`: the record service's own endpoints, so the
/// console can do nothing that the rules do not allow. In debug builds templates and static files are read from
/// the folder that `STRATUS_CONSOLE_SOURCES` names, so that a change shows without a build.
public struct ConsoleSite: Site {
    public let name = "console"
    public let prefix = "/console"
    public let allowsOtherOrigins = false
    public let isForOperators = true

    let console: ConsoleParts

    /// Makes the console of a service.
    ///
    /// - Parameters:
    ///   - service: what reads and writes records.
    ///   - store: what keeps operators, tokens and schemas.
    ///   - environment: the clock and the source of randomness.
    ///   - history: what the server remembers of its requests.
    ///   - settings: what differs between a real service and the demo.
    /// - Throws: `MustacheTemplate.ParserError` for a template that is broken, which a test finds.
    public init(
        service: RecordService, store: any RecordStore, environment: ServiceEnvironment,
        history: RequestHistory, settings: ConsoleSettings = ConsoleSettings()
    ) throws {
        console = ConsoleParts(
            service: service, store: AuditedStore(store), environment: environment, history: history,
            settings: settings,
            templates: try Templates(),
            access: OperatorAccess(
                store: AuditedStore(store), environment: environment,
                needsSecondStep: settings.needsSecondStep && settings.openOperator == nil),
            steps: OperatorSteps(store: AuditedStore(store), environment: environment))
    }

    /// The code of a sign-in link is in no log.
    public func loggedPath(of path: Substring) -> Substring? {
        path.hasPrefix("/enter/") ? "/enter/…" : path
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        var context = ConsoleContext(console: console, request: request)
        do {
            var answer = try await respond(&context)
            if answer.trace.user == nil { answer.trace.user = context.operatorName.map { "operator:\($0)" } }
            return answer
        } catch {
            return context.failure(error)
        }
    }

    private func respond(_ context: inout ConsoleContext) async throws -> SiteAnswer {
        let request = context.request
        try checkHost(of: request)
        if request.path.isEmpty { return context.redirect(to: "/") }
        let method = request.request.method == .head ? .get : request.request.method
        let segments = request.path.split(separator: "/").map { RequestTarget.decoded($0) ?? "" }
        let found = Routes.find(method, segments)
        if found?.0.access != .nobody { context.session = try await console.access.session(of: request) }
        guard let (route, parameters) = found else {
            throw ServiceError(
                .notFound, "There is no page at this address.", remedy: "The menu leads to all pages.")
        }
        context.parameters = parameters
        guard route.access != .operators || context.session != nil else {
            return context.redirectToSignIn()
        }
        // The one place; no page asks by itself.
        guard route.access != .operators || route.isForReaders || !context.isReadOnly else {
            throw ServiceError(
                .accessDenied,
                "The operator '\(context.operatorName ?? "")' may look at everything and change nothing.",
                remedy: "Whoever runs the server changes that: stratus operator set NAME --access full")
        }
        if method == .post {
            if route.body == .form {
                let limit = route.access == .anyone ? Limits.signInFormBytes : Self.formBytes
                context.form = try await FormValues(body: request.body(upTo: limit))
            }
            // JavaScript that sends no form names its token in a header; a form with files is read by its page.
            let isReadLater = route.body == .formWithFiles
            try context.checkOrigin(needsToken: route.access == .operators && !isReadLater)
        }
        var answer = try await route.handler(context)
        answer.isLook = route.isLook
        return answer
    }

    /// Refuses names that may be another site's, where whoever asks is let in.
    private func checkHost(of request: SiteRequest) throws(ServiceError) {
        let settings = console.settings
        let authority = request.request.head.authority
        guard settings.openOperator != nil,
            !TrustedHosts(settings.hosts).contain(authority, connectedTo: request.localAddress)
        else { return }
        throw ServiceError(
            .accessDenied,
            "This console is open to everybody, so it does not answer to '\((authority ?? "").prefix(64))'.",
            remedy:
                "Open it as localhost or by the address at which it listens, or start it with --public-url and the address that you use."
        )
    }

    /// The longest form of an operator; pages that take files read the body themselves.
    static let formBytes = 4 << 20
}

/// What differs between consoles.
public struct ConsoleSettings: Sendable {
    /// The version that pages name.
    public var version: String
    /// What the sign-in page of the demo has: who may enter without a secret.
    public var openOperator: String?
    /// Names and addresses, besides loopback and the one that a connection came in at, by which a console with an
    /// ``openOperator`` may be asked.
    public var hosts: [String]
    /// Links of the start page, besides the server's own.
    public var apps: [StartPage.Link]
    /// Makes the commands of a sentence such that an operator can paste them on this machine: they name the
    /// folder of the data, which the service itself does not know.
    public var completingCommands: @Sendable (String) -> String
    /// For how many days the values are kept that are deleted with a type or a field.
    public var removedSchemaDays = 30
    /// The backups that the server makes; nil where it makes none.
    public var backups: (any BackupControl)?
    /// How the archive of the server is; nil where it has none.
    public var archive: (@Sendable () -> ArchiveOverview)?
    /// What carries tests of webhooks; nil where nothing does.
    public var webhooks: (any WebhookTransport)?
    /// What carries tests of pushes; nil where nothing does.
    public var pushes: (any PushTransport)?
    /// Links to accounts that no mail carries; nil where mails do.
    public var links: KeptLinks?
    /// Whether operators need a second step to enter; not in the demo, which everybody may enter.
    public var needsSecondStep = false
    /// The accounts of people who sign in by themselves; nil where there are none.
    public var accounts: Accounts?

    /// Collects the settings.
    public init(
        version: String = "dev", openOperator: String? = nil, hosts: [String] = [],
        apps: [StartPage.Link] = [], completingCommands: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.version = version
        self.openOperator = openOperator
        self.hosts = hosts
        self.apps = apps
        self.completingCommands = completingCommands
    }
}

/// What all pages share.
struct ConsoleParts: Sendable {
    let service: RecordService
    let store: any RecordStore
    let environment: ServiceEnvironment
    let history: RequestHistory
    let settings: ConsoleSettings
    let templates: Templates
    let access: OperatorAccess
    let steps: OperatorSteps
    let refused = RefusedEntries()
    let newTokens = NewTokens()
}
