import Logging
import RecordBackup
import RecordConsole
import RecordServer
import ServiceLifecycle
import Synchronization

/// Makes a server's backups, beside its writes: when one is due, and when an operator asks.
final class ScheduledBackups: Service, Sendable {
    /// What comes next.
    private enum Work {
        case backup
        case trial(String)
    }

    private struct State {
        var isAsked = false
        /// The backups to be tried, in the order in which they were asked for.
        var trials: [String] = []
        var activity: String?
        var nextAt: Int64
        var lastSuccess: (at: Int64, bytes: Int64, milliseconds: Int64)?
        var failure: (at: Int64, reason: String)?
        var failures: Int64 = 0
        var tried: [String: (at: Int64, problem: String?)] = [:]
    }

    private let source: BackupSource
    private let place: any BackupPlace
    private let interval: Int64
    private let kept: Int
    private let logger: Logger
    private let state: Mutex<State>

    /// How long after a start the first backup is made where one is due: clients come first.
    private static let firstDelay: Int64 = 10_000
    /// How soon after a failure the next one is tried.
    private static let retryDelay: Int64 = 900_000
    private static let look = Duration.milliseconds(250)

    init(source: BackupSource, place: any BackupPlace, interval: Int64, kept: Int, logger: Logger) {
        self.source = source
        self.place = place
        self.interval = interval
        self.kept = kept
        self.logger = logger
        state = Mutex(State(nextAt: Clock.milliseconds + Self.firstDelay))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.continueFromBackups()
            while (try? await Task.sleep(for: Self.look)) != nil {
                guard let work = self.next() else { continue }
                switch work {
                case .backup: await self.backUp()
                case .trial(let name): await self.tryNow(name)
                }
            }
        }
    }

    /// Learns from the folder when the next backup is due: a server that is started often makes no more of them.
    private func continueFromBackups() async {
        let earliest = Clock.milliseconds + Self.firstDelay
        do {
            guard let last = try await own().first else { return }
            state.withLock { state in
                state.nextAt = max(earliest, last.manifest.createdAt + interval)
                state.lastSuccess = (last.manifest.createdAt, last.manifest.size, 0)
            }
        } catch {
            logger.error("The backups cannot be listed.", metadata: ["error": "\(error)"])
        }
    }

    /// The backups of this server, the newest first; those of others in the folder are left alone.
    private func own() async throws -> [Backup] {
        try await place.list().filter { $0.manifest.store == source.store }
    }

    private func next() -> Work? {
        state.withLock { state in
            if state.isAsked || Clock.milliseconds >= state.nextAt {
                state.isAsked = false
                state.activity = "A backup is being made"
                return .backup
            }
            guard !state.trials.isEmpty else { return nil }
            let name = state.trials.removeFirst()
            state.activity = "\(name) is being read"
            return .trial(name)
        }
    }

    private func backUp() async {
        let start = Clock.milliseconds
        do {
            let outcome = try await place.make(
                of: source, by: .this, plan: BackupPlan(keeps: kept, now: start)
            ) { [weak self] step, _, _ in
                self?.note("A backup is being made: \(step.rawValue)")
            }
            let took = Clock.milliseconds - start
            state.withLock { state in
                state.activity = nil
                state.failure = nil
                state.lastSuccess = (start, outcome.backup.manifest.size, took)
                state.nextAt = start + interval
                for name in outcome.removed { state.tried[name] = nil }
            }
            logger.info(
                "backup made",
                metadata: [
                    "path": "\(outcome.backup.path)", "bytes": "\(outcome.backup.manifest.size)",
                    "milliseconds": "\(took)", "removed": "\(outcome.removed.count)",
                    "missingFiles": "\(outcome.backup.manifest.missing.count)",
                ])
        } catch is CancellationError {
            note(nil)
        } catch {
            let failure = Failure(error)
            let reason = failure?.sentence ?? "\(error)"
            state.withLock { state in
                state.activity = nil
                state.failure = (start, reason)
                state.failures += 1
                state.nextAt = Clock.milliseconds + min(interval, Self.retryDelay)
            }
            logger.error(
                "A backup failed; it will be tried again.",
                metadata: ["error": "\(reason)", "help": "\(failure?.remedy ?? "")"])
        }
    }

    private func tryNow(_ name: String) async {
        defer { note(nil) }
        do {
            guard let backup = try await own().first(where: { $0.name == name }) else { return }
            try await place.check(backup, by: .this) { _, _, _ in }
            state.withLock { $0.tried[name] = (Clock.milliseconds, nil) }
            logger.info("A backup can be restored.", metadata: ["name": "\(name)"])
        } catch is CancellationError {
            return
        } catch {
            let reason = Failure(error)?.sentence ?? "\(error)"
            state.withLock { $0.tried[name] = (Clock.milliseconds, reason) }
            logger.error("A backup cannot be restored.", metadata: ["name": "\(name)", "error": "\(reason)"])
        }
    }

    private func note(_ activity: String?) { state.withLock { $0.activity = activity } }

    /// What `/readyz` and `/metrics` tell.
    var reports: ServerReports {
        ServerReports(
            warnings: { [self] in
                state.withLock {
                    $0.failure == nil ? [] : ["The last backup failed; the log has the reason."]
                }
            },
            gauges: { [self] in
                state.withLock { state in
                    let last = state.lastSuccess
                    return [
                        ("backup_last_success_seconds", (last?.at ?? 0) / 1_000),
                        ("backup_last_bytes", last?.bytes ?? 0),
                        ("backup_last_milliseconds", last?.milliseconds ?? 0),
                        ("backup_failures", state.failures),
                        ("backup_failed", state.failure == nil ? 0 : 1),
                    ]
                }
            })
    }
}

extension ScheduledBackups: BackupControl {
    func overview() async throws -> BackupOverview {
        let backups = try await own()
        return state.withLock { state in
            BackupOverview(
                folder: place.location, interval: interval, kept: kept, nextAt: state.nextAt,
                activity: state.activity, failure: state.failure,
                entries: backups.map { backup in
                    BackupOverview.Entry(
                        name: backup.name, createdAt: backup.manifest.createdAt, bytes: backup.manifest.size,
                        records: backup.manifest.counts["records"] ?? 0, files: backup.manifest.assetFiles,
                        isVerified: backup.manifest.isVerified, trial: state.tried[backup.name])
                })
        }
    }

    func backUpNow() { state.withLock { $0.isAsked = true } }

    func tryRestore(_ name: String) async throws -> Bool {
        guard try await own().contains(where: { $0.name == name }) else { return false }
        state.withLock { state in
            if !state.trials.contains(name) { state.trials.append(name) }
        }
        return true
    }
}
