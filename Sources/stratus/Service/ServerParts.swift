import AssetStorageFiles
import CurlAccess
import Foundation
import Logging
import OpenIDConnect
import PasswordStretching
import RecordConsole
import RecordEngine
import RecordServer
import RecordStorage
import RecordTransfer

/// What a server is made of, on an open store: the service with its accounts, its pages and what works beside it.
struct ServerParts: Sendable {
    let settings: ServerSettings
    let store: any RecordStore
    let logger: Logger
    let service: RecordService
    /// What carries deliveries to other services.
    let carrier: WebhookCarrier
    let pushCarrier: PushCarrier
    let backups: BackupServices
    private let accounts: Accounts
    private let archives: AccountArchives
    private let history: RequestHistory
    private let console: ConsoleSettings
    private let hints: CommandHints

    /// Makes the parts.
    ///
    /// - Throws: a ``Failure`` where the secret or the folder of the files cannot be used.
    init(
        _ settings: ServerSettings, on store: any RecordStore, console: ConsoleSettings, logger: Logger
    ) throws {
        self.settings = settings
        self.store = store
        self.logger = logger
        let backups = try BackupServices(settings, store: store, logger: logger)
        self.backups = backups
        let secret = ServiceSecret(bytes: try ServerSecret.key(for: settings))
        let files = try FileAssetStore(directory: settings.dataDirectory + "/" + AssetPaths.folderName) {
            backups.archive?.note($0)
        }
        service = RecordService(
            store: store, secret: secret, environment: .system, indexes: settings.indexes,
            quotas: settings.quotas,
            assets: files,
            hasSignInPage: true)
        archives = AccountArchives(
            store: store, assets: files, now: { Clock.milliseconds })
        let links = KeptLinks()
        accounts = Accounts(
            store: store, secret: secret, environment: .system, stretcher: ScryptThreads(),
            cost: .ofServer,
            post: settings.post(links: links, logger: logger),
            identities: OpenIDProviders(environment: .system), refused: try settings.refusedPasswords(),
            authenticated: service)
        accounts.mailInvitations(of: service, baseURL: settings.publicURL)
        carrier = WebhookCarrier(targets: settings.webhookTargets)
        pushCarrier = PushCarrier(targets: settings.webhookTargets)
        history = RequestHistory(directory: settings.dataDirectory, logger: logger)
        hints = CommandHints(directory: settings.dataDirectory).absolute
        var console = console
        console.version = StratusVersion.number
        console.completingCommands = hints.completing
        console.hosts +=
            [settings.host]
            + [settings.publicURL.flatMap { URLComponents(string: $0)?.host }].compactMap { $0 }
        console.removedSchemaDays = settings.removedSchemaDays
        console.webhooks = carrier
        console.pushes = pushCarrier
        console.backups = backups.schedule
        if let archive = backups.archive { console.archive = { archive.overview } }
        console.needsSecondStep = settings.operatorSecondStep == .required
        console.links = links
        console.accounts = accounts
        self.console = console
    }

    /// The server over HTTP.
    ///
    /// - Parameters:
    ///   - sites: what is served besides the service and its pages.
    ///   - certificates: what connections are encrypted with; nil for plain HTTP.
    ///   - log: where requests are logged.
    ///   - whenListening: called with the address once the server listens.
    /// - Throws: where a page's template is broken, which a test finds.
    func server(
        sites: [any Site], certificates: CertificateStore?, log: RequestLog,
        whenListening: @escaping @Sendable (String) -> Void
    ) throws -> StratusServer {
        StratusServer(
            service: service, store: store,
            options: ServerOptions(
                host: settings.host, port: settings.port, version: StratusVersion.number,
                publicURL: settings.publicURL, trustedProxies: settings.trustedProxies,
                rates: settings.rates, certificates: certificates),
            log: log, history: history,
            sites: [
                AssetUploadSite(service: service), AssetDownloadSite(service: service),
                try ConsoleSite(
                    service: service, store: store, environment: .system, history: history, settings: console),
                try UserSignInSite(
                    accounts: accounts, archives: archives, service: service,
                    hosts: settings.publicURL == nil ? [settings.host] : nil),
                ShareSite(service: service), AppAssociationSite(.apple, accounts: accounts),
                AppAssociationSite(.android, accounts: accounts),
            ] + sites, reports: reports,
            start: sites.contains(where: \.prefix.isEmpty)
                ? nil : try StartPage(settings: console, store: store),
            onRunning: { port in
                // An address of IPv6 is in brackets.
                let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
                let address = "\(certificates == nil ? "http" : "https")://\(host):\(port)"
                whenListening(address)
                await tellListening(address)
            })
    }

    private var reports: ServerReports {
        var reports = backups.reports
        reports.counters = { [service] in
            let (deliveries, pushes) = (service.webhookDeliveries, service.pushDeliveries)
            return [
                ("webhook_deliveries_total", deliveries.taken),
                ("webhook_failed_attempts_total", deliveries.failed),
                ("push_deliveries_total", pushes.taken),
                ("push_failed_attempts_total", pushes.failed),
                ("receiver_overflows_total", service.receiverOverflows),
            ]
        }
        let backupGauges = reports.gauges
        reports.gauges = { [service] in
            let open = service.openReceivers
            return backupGauges() + [
                ("live_queries_open", Int64(open.liveQueries)),
                ("notification_polls_open", Int64(open.polls)),
                ("waiting_change_bytes", Int64(service.waitingChangeBytes)),
                ("change_lag_seconds", service.changeLagSeconds),
                ("webhook_lag_seconds", service.webhookLagSeconds),
                ("push_lag_seconds", service.pushLagSeconds),
            ]
        }
        return reports
    }

    /// Tells commands, the first operator, the log and the service manager that the server listens.
    private func tellListening(_ address: String) async {
        let known = settings.publicURL ?? address
        ServerAddress.write(known, in: settings.dataDirectory)
        if console.openOperator == nil {
            do {
                try await FirstOperator.welcome(address: known, store: store, hints: hints)
            } catch {
                logger.error(
                    "Nobody could be told how to sign in to the console.", metadata: ["error": "\(error)"])
            }
        }
        logger.info(
            "listening",
            metadata: [
                "address": "\(address)", "data": "\(settings.dataDirectory)", "store": "\(settings.store)",
                "version": "\(StratusVersion.number)", "commit": "\(StratusVersion.commit)",
            ])
        if !ServiceManager.tellReady() {
            logger.error("The service manager could not be notified that the server listens.")
        }
    }
}

extension ServerSettings {
    /// What carries mails about accounts away.
    fileprivate func post(links: KeptLinks, logger: Logger) -> any AccountPost {
        guard let mailServer,
            let server = CurlMail.Server(address: mailServer, certificates: mailCertificates)
        else { return OperatorPost(links: links, logger: logger) }
        let host = publicURL.flatMap { URLComponents(string: $0)?.host } ?? "localhost"
        let sender = mailSender ?? MailSender("stratus@\(host)") ?? .local
        return SMTPPost(server: server, sender: sender, logger: logger)
    }
}
