import Foundation
import Hummingbird
import Logging
import NIOCore

/// The catalogue's HTTP endpoint, at a free port of this machine: `GET /catalogue.json`.
enum CatalogueServer {
    /// Runs the endpoint while the work runs, and gives the work its address.
    static func serve<Result: Sendable>(
        _ catalogue: Catalogue, while work: @escaping @Sendable (URL) async throws -> Result
    ) async throws -> Result {
        let body = try JSONEncoder().encode(catalogue)
        let router = Router()
        router.get("catalogue.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(data: body)))
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "catalogue")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: logger)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await application.run()
                return nil
            }
            group.addTask {
                guard let port = await ports.first(where: { _ in true }),
                    let address = URL(string: "http://127.0.0.1:\(port)/catalogue.json")
                else { throw CancellationError() }
                return try await work(address)
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}
