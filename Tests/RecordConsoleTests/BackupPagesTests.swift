import Foundation
import RecordConsole
import RecordStorage
import Synchronization
import Testing

/// The page of backups, over somebody who makes them.
@Suite struct BackupPagesTests {
    /// Notes what it is asked for.
    private final class Desk: BackupControl {
        struct Asked: Equatable {
            var backups = 0
            var trials: [String] = []
        }

        let asked = Mutex(Asked())
        let failure: (at: Int64, reason: String)?

        init(failure: (at: Int64, reason: String)? = nil) { self.failure = failure }

        func overview() async throws -> BackupOverview {
            BackupOverview(
                folder: "/mnt/<b>", interval: 21_600_000, kept: 14, nextAt: 1_800_000_000_000,
                activity: nil, failure: failure,
                entries: [
                    .init(
                        name: "stratus-2", createdAt: 1_790_000_000_000, bytes: 1 << 20, records: 25_000,
                        files: 3,
                        isVerified: true, trial: (1_790_000_100_000, "The file ab is damaged.")),
                    .init(
                        name: "stratus-1", createdAt: 1_780_000_000_000, bytes: 1_000, records: 1, files: 0,
                        isVerified: false, trial: nil),
                ])
        }

        func backUpNow() { asked.withLock { $0.backups += 1 } }

        func tryRestore(_ name: String) async throws -> Bool {
            asked.withLock { $0.trials.append(name) }
            return name != "gone"
        }
    }

    private static func settings(_ desk: Desk?) -> ConsoleSettings {
        var settings = ConsoleSettings(version: "test")
        settings.backups = desk
        return settings
    }

    @Test func `It shows each backup, its verification and what a trial found`() async throws {
        let desk = Desk(failure: (1_790_000_200_000, "The disk of /mnt is full."))
        try await ConsoleFixture.with(settings: Self.settings(desk)) { fixture in
            let page = try await fixture.signedIn().get("/console/backups")
            #expect(page.status == 200)
            for text in [
                "Every 6 hours", "/mnt/&lt;b&gt;", "stratus-2", "1.0 MiB", "25,000",
                "The file ab is damaged.",
                "not since the start", "The disk of /mnt is full.", "Back up now", "Try a restore",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
        }
    }

    @Test func `Its buttons ask, and the audit log has who pressed them`() async throws {
        let desk = Desk()
        try await ConsoleFixture.with(settings: Self.settings(desk)) { fixture in
            let browser = try await fixture.signedIn()
            let form = ["csrf": try await browser.get("/console/backups").csrf]
            #expect(try await browser.post("/console/backups", form).status == 303)
            #expect(try await browser.post("/console/backups/stratus-1/try", form).status == 303)
            let gone = try await browser.post("/console/backups/gone/try", form)
            #expect(gone.status == 404)
            #expect(desk.asked.withLock { $0 } == .init(backups: 1, trials: ["stratus-1", "gone"]))
            let log = try await fixture.store.read(.short) { reader in
                try reader.audit(before: nil, limit: 10).map {
                    "\($0.operatorName) \($0.action) \($0.subject)"
                }
            }
            #expect(
                log.prefix(3) == ["ada backup.check gone", "ada backup.check stratus-1", "ada backup.make "])
        }
    }

    @Test func `Nobody else can press them, and without a schedule the page says how to begin`() async throws
    {
        try await ConsoleFixture.with(settings: Self.settings(nil)) { fixture in
            let browser = try await fixture.signedIn()
            let page = try await browser.get("/console/backups")
            #expect(page.text.contains("--backup-to"))
            #expect(try await browser.post("/console/backups", ["csrf": page.csrf]).status == 400)
        }
        let desk = Desk()
        try await ConsoleFixture.with(settings: Self.settings(desk)) { fixture in
            _ = try await Browser(url: fixture.url).post("/console/backups", [:])
            // Another site's form has the session's cookie, and not its token.
            _ = try await fixture.signedIn().post("/console/backups", [:])
            #expect(desk.asked.withLock { $0 } == .init())
        }
    }
}
