import Foundation
import ManagedObjectGeneration

/// Shows, or writes, sources without what Linux's compiler rejects.
struct PortCommand {
    private var writes = false
    private var isStrict = false
    private var asksForHelp = false
    private var supportFolder: String?
    private var paths: [String] = []

    static let help = """
        Rewrites Swift sources that use Objective-C so that they build on Linux, and on Apple's platforms as before.

        USAGE: port-managed-objects [--write] [--strict] [--support FOLDER] [--target NAME]... [FILE]...
               managed-object-generator port [--write] [--strict] [--support FOLDER] FILE...

        Without --write the changes are only shown, as a diff that 'patch' takes.

          @objc, @objcMembers, @nonobjc    go away; a class that models call by another name keeps it for them
          #keyPath(Course.title)           becomes "title", in interpolations of strings too
          #selector in sort descriptors    becomes Selector("localizedStandardCompare:")
          observers, timers, undo and      become closures; \(PortingSupport.fileName) is written beside them
          perform(_:with:afterDelay:)
          @objc optional requirements      become defaults in an extension
          import Foundation                gets FoundationNetworking, FoundationGaps and Combine beside it where they are
                                           used; import UIKit and its like stay for Apple's platforms
          #if blocks                       are rewritten unless Linux never compiles them

        What is left for you is listed at the end, with file and line, and what to do. Keep the list: what an
        attribute said is not in the written file any more.

          --write            writes the files
          --strict           ends with status 2 when something must be changed or is left to do: for CI
          --support FOLDER   where \(PortingSupport.fileName) goes; beside the first file that needs it unless given
          --target NAME      the sources of a target; all targets unless given (in the plugin only)

        Files are ported together: a selector may mean a method in another one.
        Status: 0 done, 1 a file could not be read or written, 2 see --strict, 64 the arguments are wrong.
        """

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--write": writes = true
            case "--strict": isStrict = true
            case "--help", "-h": asksForHelp = true
            case "--support":
                guard let folder = rest.popFirst() else {
                    throw UsageError(sentence: "'--support' needs a folder.")
                }
                supportFolder = folder
            case _ where argument.hasPrefix("-"): throw UsageError(sentence: "Unknown option '\(argument)'.")
            default: paths.append(argument)
            }
        }
        guard !paths.isEmpty || asksForHelp else { throw UsageError(sentence: "'port' needs files.") }
    }

    func run() throws -> Int32 {
        if asksForHelp {
            try StandardStreams.say(Self.help)
            return 0
        }
        var unreadable = false
        var sources: [(path: String, text: String)] = []
        for path in paths where !path.hasSuffix("/" + PortingSupport.fileName) {
            do {
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                guard let text = String(data: data, encoding: .utf8) else {
                    StandardStreams.report("\(path): warning: it is not UTF-8 and was left as it is")
                    continue
                }
                sources.append((path, text))
            } catch {
                StandardStreams.report("\(path): error: it cannot be read: \(error.localizedDescription)")
                unreadable = true
            }
        }
        let results = SourcePorter(sources).results
        let changed = zip(sources, results).filter { !$0.1.changes.isEmpty }
        for (source, result) in changed {
            try show(result.changes, of: source.path)
            guard writes else { continue }
            // A link stays one; its file changes.
            let url = URL(fileURLWithPath: source.path).resolvingSymlinksInPath()
            try Data(result.text.utf8).write(to: url, options: .atomic)
        }
        if let first = zip(sources, results).first(where: { $0.1.needsSupport })?.0 {
            try writeSupport(beside: first.path)
        }
        let remarks = results.flatMap(\.remarks)
        try summarize(changed: changed.count, of: paths.count, remarks)
        if unreadable { return 1 }
        return isStrict && (!remarks.isEmpty || !writes && !changed.isEmpty) ? 2 : 0
    }

    private func writeSupport(beside path: String) throws {
        let folder =
            supportFolder.map { URL(fileURLWithPath: $0) }
            ?? URL(fileURLWithPath: path).deletingLastPathComponent()
        let url = folder.appendingPathComponent(PortingSupport.fileName)
        let data = Data(PortingSupport.text.utf8)
        // Where there is none, or another one, it is written.
        if let old = try? Data(contentsOf: url), old == data { return }
        if writes { try data.write(to: url, options: .atomic) }
        try StandardStreams.say(
            "\(url.path): \(writes ? "written" : "to be written"); the closures above need it.")
    }

    /// What was done, and what a person has to do.
    private func summarize(changed: Int, of count: Int, _ remarks: [GeneratorDiagnostic]) throws {
        let advice = writes || changed == 0 ? "" : " Nothing was written; --write does it."
        try StandardStreams.say("\(changed) of \(count) files \(writes ? "changed" : "to change").\(advice)")
        guard !remarks.isEmpty else { return }
        let files = Set(remarks.map(\.path)).count
        try StandardStreams.say(
            "Left for you: \(remarks.count) \(remarks.count == 1 ? "place" : "places") in \(files) \(files == 1 ? "file" : "files")."
        )
        for remark in remarks { try StandardStreams.say(remark.description) }
    }

    /// A unified diff without context, which `patch` understands.
    private func show(_ changes: [SourcePorter.Result.Change], of path: String) throws {
        try StandardStreams.say("--- \(path)\n+++ \(path)")
        var shift = 0
        for change in changes {
            // A hunk without new lines names the line before it.
            let newLine = change.line + shift - (change.new.isEmpty ? 1 : 0)
            try StandardStreams.say(
                "@@ -\(change.line),\(change.old.count) +\(newLine),\(change.new.count) @@")
            try change.old.forEach { try StandardStreams.say("-" + $0) }
            try change.new.forEach { try StandardStreams.say("+" + $0) }
            shift += change.new.count - change.old.count
        }
    }
}
