import RecordEngine
import RecordModel
import RecordTransfer
import RecordWire

/// What a copy did, for a person or a script.
struct CopyOutput {
    let counts: CopyCounts
    let comparison: CopyComparison?
    let isStopped: Bool

    private static let shownLines = 20

    /// Whether nothing is left to look into.
    var isGood: Bool { counts.refused == 0 && comparison?.matches != false }

    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("copied", counts.records.saved)
            writer.member("unchanged", counts.records.unchanged)
            writer.member("newerHere", counts.records.newerHere)
            writer.member("deleted", counts.deleted)
            writer.member("deletedZones", counts.deletedZones)
            writer.member("files", counts.files)
            writer.member("fileBytes", counts.fileBytes)
            writer.member("stopped", isStopped)
            writer.member("refused", counts.refused)
            writer.key("refusals")
            writer.beginArray()
            for refusal in counts.records.refusals {
                writer.beginObject()
                writer.member("recordName", refusal.recordName)
                writer.member("reason", refusal.reason)
                writer.endObject()
            }
            writer.endArray()
            writer.member("circles", counts.records.circles.map(\.sentence))
            if let comparison { write(comparison, to: &writer) }
            writer.endObject()
        }
    }

    private func write(_ comparison: CopyComparison, to writer: inout JSONWriter) {
        writer.key("comparison")
        writer.beginObject()
        writer.member("matches", comparison.matches)
        writer.member("compared", comparison.compared)
        writer.member("digestThere", comparison.there.description)
        writer.member("digestHere", comparison.here.description)
        writer.member("differing", comparison.differing)
        writer.key("differences")
        writer.beginArray()
        for difference in comparison.differences {
            writer.beginObject()
            writer.member("database", difference.scope.rawValue)
            writer.member("zone", difference.zone)
            writer.member("recordName", difference.recordName)
            writer.member("what", difference.what)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    func show(_ console: Console) {
        var parts = [
            "\(counted(counts.records.saved, "record")) copied",
            "\(Format.grouped(counts.records.unchanged)) here already",
        ]
        if counts.files > 0 {
            parts.append("\(counted(counts.files, "file")) of \(Format.bytes(counts.fileBytes)) fetched")
        }
        if counts.deleted > 0 { parts.append("\(Format.grouped(counts.deleted)) deleted") }
        if counts.deletedZones > 0 { parts.append("\(counted(counts.deletedZones, "zone")) deleted") }
        if counts.records.newerHere > 0 {
            parts.append("\(Format.grouped(counts.records.newerHere)) left alone, changed here later")
        }
        console.line(parts.joined(separator: ", ") + ".")
        for refusal in counts.records.refusals.prefix(Self.shownLines) {
            console.note("\(refusal.recordName): \(refusal.reason)")
        }
        if counts.refused > Self.shownLines {
            console.note(
                "\(counts.refused - Self.shownLines) more; --json has the first \(CopyCounts.keptRefusals).")
        }
        for circle in counts.records.circles.prefix(Self.shownLines) { console.note(circle.sentence) }
        if let comparison { show(comparison, console) }
    }

    private func show(_ comparison: CopyComparison, _ console: Console) {
        let verb = comparison.matches ? "are the same" : "were compared"
        console.line("\(counted(comparison.compared, "record")) \(verb).")
        console.line("digest there  \(comparison.there)")
        console.line("digest here   \(comparison.here)")
        for difference in comparison.differences.prefix(Self.shownLines) {
            let place = "\(difference.scope.rawValue) \(difference.zone)"
            console.line("\(place) \(difference.recordName): \(difference.what)")
        }
        if comparison.differing > Self.shownLines {
            console.line("\(comparison.differing - Self.shownLines) more differ.")
        }
    }

    /// - Throws: a ``Failure`` where something could not be copied, or differs.
    func check() throws {
        if counts.refused > 0 {
            throw Failure(
                "\(counted(counts.refused, "record")) could not be copied; all others are here.",
                remedy: "Change them there, and run the same command again: it continues from here.")
        }
        if let comparison, !comparison.matches {
            throw Failure(
                "\(counted(comparison.differing, "record")) differ.",
                remedy:
                    "Run the same command again for what changed meanwhile; --restart checks every record, --delete removes what is only here."
            )
        }
    }
}
