import RecordModel
import RecordStorage
import RecordStorageOpening
import RecordWire

/// What a copy came to, for people and for scripts.
struct CopyReport {
    var source: CopySide
    var target: CopySide
    var from: StoreCopy.Summary
    var to: StoreCopy.Summary
    /// Nil where the files stay where they are.
    var files: AssetFilesCopy.Outcome?

    /// Whether all rows are the same on both sides.
    var matches: Bool { from == to }

    /// What a copy leaves behind, a line for each.
    static var notCarried: [String] {
        StoredTable.left { $0.copying }.map { "  \($0.contents): \($0.reason)" }
    }

    /// The result as JSON.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("from", "\(source.location)")
            writer.member("to", "\(target.location)")
            writer.member("matches", matches)
            for (name, summary) in [("source", from), ("target", to)] {
                writer.key(text: name)
                writer.beginObject()
                writer.member("digest", summary.digest.hex)
                for section in StoreSection.allCases {
                    writer.key(text: section.rawValue)
                    writer.int(summary.counts[section] ?? 0)
                }
                writer.endObject()
            }
            writer.key("notCarried")
            writer.beginArray()
            for (contents, reason) in StoredTable.left(by: { $0.copying }) {
                writer.beginObject()
                writer.member("contents", contents)
                writer.member("reason", reason)
                writer.endObject()
            }
            writer.endArray()
            if let files {
                writer.key("files")
                writer.beginObject()
                writer.member("copied", files.copied)
                writer.member("present", files.present)
                writer.member("missing", files.missing.map(\.hex))
                writer.member("damaged", files.damaged.map(\.hex))
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// The result as people read it.
    func text(width: Int?) -> String {
        let shown = StoreSection.allCases.filter { $0 != .counters }
        var lines = shown.map { section -> String in
            let counts = [from, to].map { Format.grouped($0.counts[section] ?? 0) }
            let isSame = from.digests[section] == to.digests[section]
            return TextWidth.pad(section.label, to: 16) + TextWidth.pad(counts[0], to: 12, right: true)
                + (isSame ? "" : "   differs: \(counts[1]) in the copy")
        }
        if from.digests[.counters] != to.digests[.counters] { lines.append("The counters differ.") }
        if let files {
            lines.append("Files copied: \(files.copied), already there: \(files.present).")
            for digest in files.missing.prefix(10) { lines.append("  missing in the source: \(digest.hex)") }
            for digest in files.damaged.prefix(10) { lines.append("  damaged in the source: \(digest.hex)") }
        }
        lines += ["Not carried over:"] + Self.notCarried
        lines.append("SHA-256 of all rows: \(from.digest.hex)")
        if !matches { lines.append("of the copy:         \(to.digest.hex)") }
        return lines.joined(separator: "\n")
    }
}

extension StoreSection {
    /// The part's name in tables.
    fileprivate var label: String {
        switch self {
        case .tenants: "containers"
        case .types: "record types"
        case .operatorTokens: "operator tokens"
        case .audit: "audit entries"
        case .pushKeys: "push keys"
        case .departures: "departures from shares"
        case .shareLinks: "share links"
        case .changes: "logged changes"
        case .outcomes: "kept answers"
        case .records: "records"
        default: rawValue
        }
    }
}
