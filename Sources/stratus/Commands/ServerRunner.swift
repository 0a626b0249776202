import Foundation
import Logging
import NIOCore
import RecordBackup
import RecordConsole
import RecordEngine
import RecordServer
import RecordStorage
import RecordStorageOpening
import ServiceLifecycle
import UnixSignals

/// Runs the server from opening its files to closing them.
enum ServerRunner {
    /// How long work may go on after its time to drain is over, in seconds.
    private static let secondsAfterDraining = 5

    /// Serves with the given settings; returns after SIGTERM or Ctrl-C, when running requests are answered.
    ///
    /// - Parameters:
    ///   - console: what differs between consoles.
    ///   - apps: folders to serve besides the one of the settings.
    ///   - whenListening: called with the address once the server listens.
    /// - Throws: a ``Failure`` when the server cannot start.
    static func run(
        _ settings: ServerSettings, console: ConsoleSettings = ConsoleSettings(), apps: [AppFolder] = [],
        whenListening: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
        AllocatedMemory.configure()
        guard !BackupRestoration.isUnfinished(in: settings.dataDirectory) else {
            throw Failure.unfinishedRestore(settings.dataDirectory)
        }
        let sites = try StaticSites.all(of: settings, apps: apps)
        let certificates = try settings.certificate().map { try Self.certificates($0, settings) }
        let sink = LogSink()
        defer { sink.close() }
        let format = settings.logFormat.format(isTerminal: sink.isTerminal)
        let logger = Logger(label: "stratus") { label in
            StratusLogHandler(label: label, sink: sink, format: format, level: settings.logLevel)
        }
        let store = settings.sealed(
            try settings.store.open(keepsRoom: true) {
                logger.error("store", metadata: ["event": "\($0)"])
            })
        if settings.publicWrites == .users {
            logger.warning(
                "'publicWrites' has no effect any more: the grants of the schema decide who may change public records. Add GRANT WRITE TO \"_icloud\" to the types that every user may change, and import the schema.",
                metadata: ["setting": "\(Settings.publicWrites.key.flag ?? "")"])
        }
        if let problem = try await SealedStore.problem(of: store) {
            logger.error(
                "Encrypted fields can be neither read nor written, and records that have them neither changed nor deleted.",
                metadata: [
                    "code": "\(problem.code)", "event": "\(problem.sentence)", "remedy": "\(problem.remedy)",
                ])
        }
        do {
            let parts = try ServerParts(settings, on: store, console: console, logger: logger)
            let log = RequestLog(sink: sink, format: format, isOn: settings.logLevel <= .info)
            // Before the first request may write.
            await parts.backups.archive?.archiver.begin()
            try await serve(parts, certificates, sites, log, whenListening)
            await store.close()
            parts.backups.archive?.archiver.noteClosed()
        } catch {
            await store.close()
            throw Failure(startingAt: settings, error) ?? error
        }
        logger.info("stopped", metadata: ["data": "\(settings.dataDirectory)"])
    }

    /// What belongs to HTTPS besides the server itself.
    private static func companions(
        of certificates: CertificateStore?, _ settings: ServerSettings, _ logger: Logger
    ) -> [any Service] {
        guard let certificates else { return [] }
        let watch = CertificateWatch(certificates: certificates, logger: logger)
        guard let port = settings.redirectPort else { return [watch] }
        return [
            watch,
            RedirectServer(
                host: settings.host, port: port, target: settings.publicURL, securePort: settings.port),
        ]
    }

    private static func certificates(
        _ files: CertificateFiles, _ settings: ServerSettings
    ) throws -> CertificateStore {
        do {
            return try CertificateStore(files, offersHTTP2: settings.http2 == .on)
        } catch let error as CertificateError {
            throw Failure(error.reason, remedy: error.remedy)
        }
    }

    private static func serve(
        _ parts: ServerParts, _ certificates: CertificateStore?, _ sites: [any Site], _ log: RequestLog,
        _ whenListening: @escaping @Sendable (String) -> Void
    ) async throws {
        let settings = parts.settings
        let server = try parts.server(
            sites: sites, certificates: certificates, log: log, whenListening: whenListening)
        var quiet = Logger(label: "stratus.lifecycle")
        quiet.logLevel = .critical
        var configuration = ServiceGroupConfiguration(
            services: [
                server, Housekeeper(service: parts.service, logger: parts.logger),
                Eraser(service: parts.service, logger: parts.logger),
                WebhookDeliveries(
                    service: parts.service, carrier: parts.carrier, baseURL: settings.publicURL),
                PushDeliveries(
                    service: parts.service, carrier: parts.pushCarrier, contact: settings.publicURL),
            ] + parts.backups.all + Self.companions(of: certificates, settings, parts.logger),
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(settings.drainSeconds)
        configuration.maximumCancellationDuration = .seconds(secondsAfterDraining)
        try await ServiceGroup(configuration: configuration).run()
    }
}

extension LogFormatChoice {
    /// The format of lines, where `auto` checks whether a person is looking.
    fileprivate func format(isTerminal: Bool) -> LogFormat {
        switch self {
        case .text: .text
        case .json: .json
        case .auto: isTerminal ? .text : .json
        }
    }
}

extension Failure {
    /// A directory that holds a part of a backup.
    fileprivate static func unfinishedRestore(_ directory: String) -> Failure {
        Failure(
            "\(directory) holds a restore that was not finished.",
            remedy: "Run 'stratus restore' again: it removes what is there, and starts over.")
    }

    /// What a start that failed means to the operator; nil where the error says it itself.
    fileprivate init?(startingAt settings: ServerSettings, _ error: any Error) {
        guard let error = error as? IOError else { return nil }
        switch error.errnoCode {
        case EADDRINUSE:
            self.init(
                "Port \(settings.port) is in use by another program.",
                remedy: "Choose another one: --port \(settings.port &+ 1)")
        case EACCES:
            self.init(
                "Port \(settings.port) may not be opened by this user.",
                remedy: "Choose one above 1023, for example --port 8080.")
        case EADDRNOTAVAIL:
            self.init(
                "This machine has no address \(settings.host).",
                remedy:
                    "Use --host 127.0.0.1 for this machine alone, or --host 0.0.0.0 for every network it is in."
            )
        default: return nil
        }
    }
}
