import RecordBackup
import RecordConsole
import RecordModel
import RecordServer
import ServiceLifecycle

/// Archives a server's log as long as it runs.
struct ArchiveService: Service {
    let archiver: LogArchiver

    func run() async throws {
        await cancelWhenGracefulShutdown { await archiver.run() }
    }

    /// Has a file archived that is on the disk.
    func note(_ digest: AssetDigest) { archiver.note(digest) }

    /// What the console shows.
    var overview: ArchiveOverview {
        let status = archiver.status
        return ArchiveOverview(
            location: status.location, keeps: status.keeps, earliest: status.earliest, latest: status.latest,
            waitingBytes: status.waitingBytes, activity: status.activity, failure: status.failure)
    }

    /// What `/readyz` and `/metrics` tell.
    var reports: ServerReports {
        ServerReports(
            warnings: {
                archiver.status.failure == nil
                    ? [] : ["Changes are not archived at the moment; the log has the reason."]
            },
            gauges: {
                let status = archiver.status
                return [
                    ("archive_earliest_seconds", (status.earliest ?? 0) / 1_000),
                    ("archive_latest_seconds", (status.latest ?? 0) / 1_000),
                    ("archive_waiting_bytes", Int64(status.waitingBytes)),
                    ("archive_failures", status.failures),
                    ("archive_failed", status.failure == nil ? 0 : 1),
                ]
            })
    }
}
