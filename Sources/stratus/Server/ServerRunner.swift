import Foundation
import Logging
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordStorageSQLite
import ServiceLifecycle
import UnixSignals

/// Runs a server from opening its files to closing them.
enum ServerRunner {
    /// What a server needs to run.
    struct Options {
        var dataDirectory: String
        var server: ServerOptions
        var publicWrites = PublicWritePolicy.creator
        var logLevel = Logger.Level.info
        /// Nil chooses by whether a person is looking.
        var logFormat: LogFormat?
        var logsRequests = true
    }

    /// Serves until SIGTERM or Ctrl-C, then lets what runs end, and closes the files.
    ///
    /// - Parameters:
    ///   - beforeListening: works with the service before anybody can reach it; fills in the demo's data.
    ///   - onRunning: is told the port when the server listens.
    static func run(
        _ options: Options,
        beforeListening: @Sendable (RecordService, SQLiteStore) async throws -> Void = { _, _ in },
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let sink = LogSink()
        defer { sink.close() }
        let format = options.logFormat ?? (sink.isTerminal ? .text : .json)
        let logger = Logger(label: "stratus") { label in
            StratusLogHandler(label: label, sink: sink, format: format, level: options.logLevel)
        }
        let store = try SQLiteStore(directory: options.dataDirectory)
        let service = RecordService(
            store: store, secret: try SecretFile.load(directory: options.dataDirectory), environment: .system,
            publicWrites: options.publicWrites)
        try await beforeListening(service, store)
        let server = StratusServer(
            service: service, store: store, options: options.server,
            log: RequestLog(
                sink: sink, format: format, isOn: options.logsRequests && options.logLevel <= .info),
            onRunning: { port in
                logger.info(
                    "listening",
                    metadata: [
                        "address": "http://\(options.server.host):\(port)",
                        "data": "\(options.dataDirectory)",
                        "version": "\(options.server.version)",
                    ])
                await onRunning(port)
            })
        var configuration = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quietLogger)
        configuration.maximumGracefulShutdownDuration = .seconds(options.server.drainSeconds)
        configuration.maximumCancellationDuration = .seconds(5)
        let result: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await store.close()
        if case .success = result { logger.info("stopped", metadata: ["data": "\(options.dataDirectory)"]) }
        try result.get()
    }

    private static let quietLogger: Logger = {
        var logger = Logger(label: "stratus.lifecycle")
        logger.logLevel = .critical
        return logger
    }()
}

extension ServiceEnvironment {
    /// The clock and the randomness of this machine.
    static let system = ServiceEnvironment(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        },
        random: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })
}

/// The secret with which a server knows its markers again, kept beside the database.
enum SecretFile {
    static let name = "marker.key"
    private static let length = 32

    /// Reads the secret of a data directory, or makes one on the first start.
    static func load(directory: String) throws -> ServiceSecret {
        let url = URL(fileURLWithPath: directory).appendingPathComponent(name)
        if let data = try? Data(contentsOf: url), data.count >= length {
            return ServiceSecret(bytes: Array(data))
        }
        let bytes = ServiceEnvironment.system.random(length)
        let created = FileManager.default.createFile(
            atPath: url.path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        guard created else { throw StorageError.engine("The file \(url.path) cannot be written.") }
        return ServiceSecret(bytes: bytes)
    }
}
