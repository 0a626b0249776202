import Logging
import RecordEngine
import RecordStorage
import ServiceLifecycle

/// Removes the records of users who are gone, as long as the server runs: soon after somebody deleted an account, and after a
/// restart where it was interrupted. Of several nodes on one store, one does it.
struct Eraser: Service {
    let service: RecordService
    let logger: Logger

    /// How often it checks whether there is anything to do, which is one short read.
    private static let pollInterval = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Users whose records went already, and whose notes wait for their time.
            var done: Set<ErasureRow> = []
            while (try? await Task.sleep(for: Self.pollInterval)) != nil {
                do {
                    try await service.eraseUsers(passing: &done) { row, report in
                        logger.info(
                            "the records of a removed user were erased",
                            metadata: [
                                "container": "\(row.tenant)", "user": "\(row.user)",
                                "removed": "\(report.removed)", "unnamed": "\(report.unnamed)",
                                "refused": "\(report.refused)",
                            ])
                    }
                } catch is CancellationError {
                    // The server stops, or another node has the job.
                } catch {
                    logger.error(
                        "Erasing the records of a removed user failed; it is tried again.",
                        metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: .seconds(10))
                }
            }
        }
    }
}
