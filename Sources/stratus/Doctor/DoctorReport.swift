import RecordStorage
import RecordWire

/// What the doctor says, for people and for scripts.
struct DoctorReport {
    /// What was found.
    var findings: [StoreFinding]
    /// What was repaired; nil where nobody asked for it.
    var repairs: [String]?
    /// What was not looked at, a sentence for each; empty where all was.
    var notLookedAt: [String] = []

    /// What is left out without `--thorough`.
    static let withoutThorough = [
        "the bytes of files", "entries of indexes", "records of a type besides its first and last 500",
    ]

    /// The worst of the findings.
    var worst: StoreFinding.Severity { findings.map(\.severity).max() ?? .good }

    /// Lets the commands in the remedies name the folder that was looked at.
    mutating func complete(_ hints: CommandHints) {
        for index in findings.indices {
            findings[index].remedy = findings[index].remedy.map(hints.completing)
        }
    }

    /// The findings as lines.
    var text: String {
        var lines: [String] = []
        for finding in findings {
            let mark =
                switch finding.severity {
                case .good: "ok     "
                case .warning: "WARNING"
                case .problem: "PROBLEM"
                }
            lines.append("\(mark)  \(TextWidth.pad(finding.check, to: 16))  \(finding.message)")
            if let remedy = finding.remedy {
                lines.append("         \(TextWidth.pad("", to: 16))  → \(remedy)")
            }
        }
        for repair in repairs ?? [] { lines.append("repaired  \(repair)") }
        if repairs?.isEmpty == true { lines.append("There was nothing to repair.") }
        lines.append(summary)
        if !notLookedAt.isEmpty {
            lines.append("Not looked at: \(notLookedAt.joined(separator: ", ")). --thorough does.")
        }
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        let problems = findings.count { $0.severity == .problem }
        let warnings = findings.count { $0.severity == .warning }
        if problems == 0, warnings == 0 { return "All is well." }
        return
            "\(problems) \(problems == 1 ? "problem" : "problems"), \(warnings) \(warnings == 1 ? "warning" : "warnings")."
    }

    /// The findings as JSON.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("worst", worst.rawValue)
            writer.key("findings")
            writer.beginArray()
            for finding in findings {
                writer.beginObject()
                writer.member("check", finding.check)
                writer.member("severity", finding.severity.rawValue)
                writer.member("message", finding.message)
                writer.member("remedy", finding.remedy)
                writer.member("repairable", finding.isRepairable)
                writer.endObject()
            }
            writer.endArray()
            writer.member("repairs", repairs)
            writer.member("notLookedAt", notLookedAt)
            writer.member("notCompared", StoredTable.left { $0.checking }.map(\.contents))
            writer.endObject()
        }
    }
}
