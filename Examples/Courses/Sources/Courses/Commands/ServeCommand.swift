import ArgumentParser
import CoreData
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Serves the courses to browsers, and keeps all windows equal.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the courses to browsers; Ctrl-C stops it.")

    @Option(help: "The port to listen at, on this machine only; 0 takes a free one.")
    var port: UInt16 = 8081
    @Option(help: "Where the store is kept. In memory unless set.")
    var store: String?
    @Option(
        help: "The address of a catalogue to fill an empty store from, instead of the command's own.",
        transform: CatalogueAddress.url)
    var from: URL?

    func run() async throws {
        let container = try await openContainer()
        var logger = Logger(label: "courses")
        logger.logLevel = .critical
        let place = store.map { "the store \($0)" } ?? "a store in memory"
        let application = Application(
            router: WebApp(container: container).router,
            configuration: .init(
                address: .hostname("127.0.0.1", port: Int(port)),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
            onServerRunning: { channel in
                say("Courses are at http://127.0.0.1:\(channel.localAddress?.port ?? 0), from \(place).")
            },
            logger: logger)
        do {
            // Ends with Ctrl-C or SIGTERM, when running requests are answered.
            try await application.runService()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw StartFailure("Port \(port) is in use by another program. Choose another one with --port.")
        } catch let error as IOError {
            throw StartFailure("Port \(port) cannot be opened: \(error).")
        }
    }

    /// More windows than this wait until others are closed.
    private static let maximumConnections = 1_000

    /// Opens the store, and fills one that is empty.
    private func openContainer() async throws -> NSPersistentContainer {
        let container: NSPersistentContainer
        do { container = try await .courses(at: store) } catch {
            throw StartFailure("The store cannot be opened. \(error.localizedDescription)")
        }
        do {
            if await !container.hasCache { try await container.fill(from: from) }
        } catch {
            throw StartFailure("The catalogue cannot be loaded. \(error.localizedDescription)")
        }
        return container
    }
}

/// Why the program cannot start.
private struct StartFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
