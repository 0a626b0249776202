import ArgumentParser
import Foundation
import RecordModel
import Testing

@testable import stratus

@Suite struct AssetsCommandTests {
    @Test(
        arguments: [
            ("0", 0), ("0s", 0), ("0d", 0), ("90s", 90_000), ("15m", 900_000), ("48h", 172_800_000),
            ("", nil), ("1", nil), ("-1s", nil), ("00", nil), ("1w", nil), ("soon", nil),
        ] as [(String, Int64?)])
    func timesOfGrace(text: String, milliseconds: Int64?) {
        #expect(GracePeriod(argument: text)?.milliseconds == milliseconds)
    }

    @Test func withoutATimeOfGraceItIsTheServers() throws {
        let command = try AssetsSweepCommand.parse([])
        #expect(command.grace.milliseconds == Int64(Limits.assetGraceSeconds) * 1_000)
        #expect(GracePeriod(argument: GracePeriod.standard.defaultValueDescription) == .standard)
    }

    @Test func saysWhatWentAndWhatStayed() {
        var plan = AssetSweepPlan()
        plan.unused = .init(files: 2_000, bytes: 2_048)
        plan.foreign = .init(files: 1, bytes: 10)
        var outcome = AssetSweepOutcome(isDryRun: false, includesForeign: false, plan: plan)
        #expect(
            outcome.text == """
                Removed 2,000 files that no record refers to (2.0 KiB).
                Left alone 1 file older than all that the database knows (10 bytes).
                """)
        outcome.includesForeign = true
        outcome.isDryRun = true
        outcome.failed = 1
        #expect(outcome.text.hasPrefix("Would remove 2,000 files"))
        #expect(outcome.text.contains("Would remove 1 file older"))
        #expect(outcome.text.hasSuffix("1 of them could not be removed; try again."))
        let nothing = AssetSweepOutcome(isDryRun: false, includesForeign: false, plan: AssetSweepPlan())
        #expect(nothing.text == "There is nothing to remove.")
    }
}
