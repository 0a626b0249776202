import Logging
import RecordEngine
import RecordStorage
import ServiceLifecycle

/// Removes what is not needed any more, as long as the server runs: files that no record refers to, and what was kept of
/// requests, of changes and of sessions long enough. Of several nodes on one store, one does each job.
struct Housekeeper: Service {
    let service: RecordService
    let logger: Logger

    /// How often the jobs are looked at. With the lease this is how long after a node's death another one takes its jobs:
    /// two minutes at most. A first look follows soon after a start, which may have been one after a crash.
    private static let pollInterval = Duration.seconds(60)
    /// Versions first: their files are swept after them.
    private static let jobs = [
        StoreJob.versionSweep, .assetSweep, .keptOutcomeSweep, .signInSweep, .changeLogSweep, .shareSweep,
    ]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // A store that one process uses alone keeps no times.
            var due: [StoreJob: ContinuousClock.Instant] = [:]
            while (try? await Task.sleep(for: Self.pollInterval)) != nil {
                for job in Self.jobs
                where due[job].map({ $0 <= .now }) ?? true {
                    if await attempt(job) { due[job] = .now + .seconds(job.intervalSeconds) }
                }
            }
        }
    }

    /// Does a job, unless another node does; what fails is tried again at the next look.
    private func attempt(_ job: StoreJob) async -> Bool {
        do {
            return try await service.run(job) {
                switch job {
                case .assetSweep: try await sweepAssets()
                case .versionSweep: try await service.sweepVersions()
                case .signInSweep: try await service.sweepSignIns()
                case .changeLogSweep: try await service.sweepChangeLog()
                case .shareSweep: try await service.sweepShares()
                default: try await service.sweepKeptOutcomes()
                }
            }
        } catch is CancellationError {
            return false
        } catch {
            logger.error(
                "Cleaning up failed; it will be tried again.",
                metadata: ["job": "\(job.name)", "error": "\(error)"])
            return false
        }
    }

    private func sweepAssets() async throws {
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
    }
}
