import Foundation
import ObjectGenerator

/// Shows, or writes, sources without what Linux's compiler rejects.
struct PortCommand {
    private var writes = false
    private var files: [String] = []

    init(_ arguments: ArraySlice<String>) throws {
        for argument in arguments {
            if argument == "--write" {
                writes = true
            } else if argument.hasPrefix("-") {
                throw UsageError(sentence: "'\(argument)' is no option.")
            } else {
                files.append(argument)
            }
        }
        guard !files.isEmpty else { throw UsageError(sentence: "'port' needs files.") }
    }

    func run() throws -> Int32 {
        var changed = 0
        for path in files {
            let url = URL(fileURLWithPath: path)
            let data = try Data(contentsOf: url)
            guard let text = String(data: data, encoding: .utf8) else {
                Console.report("\(path): warning: it is not UTF-8 and was left as it is")
                continue
            }
            let result = SourcePorter.port(text, path: path)
            result.remarks.forEach { Console.report($0.description) }
            guard !result.changes.isEmpty else { continue }
            changed += 1
            try show(result.changes, of: path)
            if writes {
                // A link stays one; its file changes.
                try Data(result.text.utf8).write(to: url.resolvingSymlinksInPath(), options: .atomic)
            }
        }
        let advice = writes || changed == 0 ? "" : " Nothing was written; --write does it."
        try Console.say("\(changed) of \(files.count) files \(writes ? "changed" : "to change").\(advice)")
        return 0
    }

    /// A unified diff without context, which `patch` understands.
    private func show(_ changes: [SourcePorter.Result.Change], of path: String) throws {
        try Console.say("--- \(path)\n+++ \(path)")
        var shift = 0
        for change in changes {
            // A hunk without new lines names the line before it.
            let newLine = change.line + shift - (change.new.isEmpty ? 1 : 0)
            try Console.say("@@ -\(change.line),\(change.old.count) +\(newLine),\(change.new.count) @@")
            try change.old.forEach { try Console.say("-" + $0) }
            try change.new.forEach { try Console.say("+" + $0) }
            shift += change.new.count - change.old.count
        }
    }
}
