import CloudKit
import Foundation
import Testing

/// The Swift program of `Tests/Browser/test_live.py`: a single test of this one, which that script starts.
///
/// It follows a live query as an app does, and prints the list whenever it is another one, until it is stopped.
@Suite struct LiveListProgramTests {
    /// The container; the environment has the rest, as `CKContainer` reads it.
    private static let identifier = ProcessInfo.processInfo.environment["STRATUS_LIVE_LIST"]

    @Test(.enabled(if: identifier != nil)) func followList() async throws {
        let container = CKContainer(identifier: try #require(Self.identifier))
        let query = CKQuery(recordType: "Item", predicate: NSPredicate(format: "number < 100"))
        query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        for try await update in container.privateCloudDatabase.liveRecords(matching: query) {
            let list = update.records.map { "\($0.recordID.recordName)=\($0["number"] ?? "?")" }
            let line = "LIST \(list.joined(separator: " "))\n"
            try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        }
    }
}
