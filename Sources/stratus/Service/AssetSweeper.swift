import Logging
import RecordEngine
import ServiceLifecycle

/// Removes files that no record refers to any more, and what was kept of requests long enough, as long as the server runs.
struct AssetSweeper: Service {
    let service: RecordService
    let logger: Logger

    /// The time between two sweeps. A first one follows soon after a start, which may have been one after a crash.
    private static let interval = Duration.seconds(3_600)
    private static let firstDelay = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var delay = Self.firstDelay
            while true {
                guard (try? await Task.sleep(for: delay)) != nil else { return }
                delay = Self.interval
                await sweep()
                await sweepKeptOutcomes()
            }
        }
    }

    private func sweepKeptOutcomes() async {
        do {
            try await service.sweepKeptOutcomes()
        } catch is CancellationError {
            return
        } catch {
            logger.error(
                "Outcomes of old requests could not be removed; it is tried again.",
                metadata: ["error": "\(error)"])
        }
    }

    private func sweep() async {
        do {
            let report = try await service.sweepAssets()
            if report.foreign > 0 {
                logger.warning(
                    "Some files are older than everything the database knows; they are kept. If they are not needed, 'stratus assets sweep --foreign' removes them.",
                    metadata: ["files": "\(report.foreign)"])
            }
            guard report.unused + report.unknown + report.failed > 0 else { return }
            logger.info(
                "files swept",
                metadata: [
                    "unused": "\(report.unused)", "unknown": "\(report.unknown)",
                    "failed": "\(report.failed)",
                ])
        } catch is CancellationError {
            return
        } catch {
            logger.error(
                "The sweep of unused files failed; it is tried again.", metadata: ["error": "\(error)"])
        }
    }
}
