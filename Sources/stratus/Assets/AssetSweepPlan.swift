import AssetStorageFiles
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire

/// The files that a sweep would remove, found without changing anything.
struct AssetSweepPlan {
    /// Some files and their bytes.
    struct Part: Equatable {
        var files = 0
        var bytes: Int64 = 0

        mutating func add(_ size: Int64) {
            files += 1
            bytes += size
        }
    }

    /// Files that the database knows, and that no record has referred to for long enough.
    var unused = Part()
    /// Files that the database does not know: what a crash left.
    var unknown = Part()
    /// Those of them that are older than everything the database knows, so that they may belong to another one.
    var foreign = Part()
    /// Files that were on their way in when a server ended.
    var unfinished = Part()

    private static let pageSize = 1_000

    /// Creates a plan that removes nothing.
    init() {}

    /// Looks.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - now: milliseconds since 1970.
    ///   - graceMilliseconds: for how long nothing must have referred to a file.
    /// - Throws: ``StorageError`` when the database cannot be read.
    init(directory: String, now: Int64, graceMilliseconds: Int64) throws {
        let before = now - graceMilliseconds + 1
        let ledger = try AssetLedger(directory: directory)
        var last: AssetDigest?
        while case let rows = try ledger.rows(after: last, limit: Self.pageSize), !rows.isEmpty {
            last = rows.last?.content.digest
            for row in rows where row.uses == 0 {
                // The time of one that was just let go of begins with the next sweep.
                let isDue =
                    switch row.unusedSince {
                    case nil: false
                    case .released: graceMilliseconds == 0
                    case .time(let time): time < before
                    }
                if isDue { unused.add(row.content.size) }
            }
        }
        try findUnknown(AssetPaths(root: directory + "/" + AssetPaths.folderName), ledger, before)
    }

    private mutating func findUnknown(_ paths: AssetPaths, _ ledger: AssetLedger, _ before: Int64) throws {
        let oldest = try ledger.oldest() ?? .max
        var last: AssetDigest?
        while case let page = paths.digests(after: last, limit: Self.pageSize), !page.isEmpty {
            last = page.last
            for digest in page {
                guard let file = try paths.file(digest), file.modifiedAt < before,
                    try !ledger.contains(digest)
                else { continue }
                if file.modifiedAt < oldest { foreign.add(file.size) } else { unknown.add(file.size) }
            }
        }
        for name in paths.unfinished {
            // One that was finished meanwhile is none of them any more.
            let attributes = try? FileManager.default.attributesOfItem(atPath: paths.uploads + "/" + name)
            unfinished.add((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }
}

/// What a sweep of the command did, or would do.
struct AssetSweepOutcome {
    var isDryRun: Bool
    /// Whether files older than all the database knows go as well.
    var includesForeign: Bool
    var plan: AssetSweepPlan
    /// How many files could not be removed.
    var failed = 0

    private var parts: [(name: String, what: String, part: AssetSweepPlan.Part)] {
        [
            ("unused", "that no record refers to", plan.unused),
            ("unknown", "that the database does not know", plan.unknown),
            ("foreign", "older than all that the database knows", plan.foreign),
            ("unfinished", "of uploads that were not finished", plan.unfinished),
        ]
    }

    /// For people.
    var text: String {
        var lines: [String] = []
        for (name, what, part) in parts where part.files > 0 {
            let count = "\(Format.grouped(part.files)) \(part.files == 1 ? "file" : "files") \(what)"
            let verb =
                name == "foreign" && !includesForeign ? "Left alone" : isDryRun ? "Would remove" : "Removed"
            lines.append("\(verb) \(count) (\(Format.bytes(part.bytes))).")
        }
        if failed > 0 {
            lines.append("\(Format.grouped(failed)) of them could not be removed; try again.")
        }
        return lines.isEmpty ? "There is nothing to remove." : lines.joined(separator: "\n")
    }

    /// For scripts.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("dryRun", isDryRun)
            for (name, _, part) in parts {
                writer.key(text: name)
                writer.beginObject()
                writer.member("files", Int64(part.files))
                writer.member("bytes", part.bytes)
                if name == "foreign" { writer.member("removed", includesForeign && !isDryRun) }
                writer.endObject()
            }
            writer.member("failed", Int64(failed))
            writer.endObject()
        }
    }
}
