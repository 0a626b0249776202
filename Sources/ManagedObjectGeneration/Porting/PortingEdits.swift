/// The changes of one file while they are collected.
struct PortingEdits {
    private struct Edit {
        var range: Range<Int>
        var replacement: String
    }

    private var edits: [Edit] = []
    private(set) var remarks: [GeneratorDiagnostic] = []
    /// Whether the file calls what ``PortingSupport`` declares.
    var needsSupport = false

    mutating func replace(_ range: Range<Int>, by text: String) {
        edits.append(Edit(range: range, replacement: text))
    }

    mutating func insert(_ text: String, at position: Int) {
        edits.append(Edit(range: position..<position, replacement: text))
    }

    mutating func remark(_ location: SourceLocation, _ message: String) {
        let remark = GeneratorDiagnostic(.warning, at: location, message)
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    /// Carries the edits out; of two that overlap the first counts.
    func applied(to bytes: [UInt8]) -> SourcePorter.Result {
        var ordered: [Edit] = []
        for edit in edits.enumerated().sorted(by: {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }).map(\.element) {
            if let last = ordered.last, edit.range.lowerBound < last.range.upperBound { continue }
            ordered.append(edit)
        }
        var output: [UInt8] = []
        var changes: [SourcePorter.Result.Change] = []
        var position = 0
        var line = 1
        var index = 0
        while index < ordered.count {
            // Edits of the same lines are one change.
            let start = Self.lineStart(ordered[index].range.lowerBound, in: bytes)
            var end = Self.lineEnd(ordered[index].range, in: bytes)
            var last = index
            while last + 1 < ordered.count, ordered[last + 1].range.lowerBound < end {
                last += 1
                end = max(end, Self.lineEnd(ordered[last].range, in: bytes))
            }
            output += bytes[position..<start]
            line += bytes[position..<start].count { $0 == 0x0A }
            var rewritten: [UInt8] = []
            var inside = start
            for edit in ordered[index...last] {
                rewritten += bytes[inside..<edit.range.lowerBound]
                rewritten += Array(edit.replacement.utf8)
                inside = edit.range.upperBound
            }
            rewritten += bytes[inside..<end]
            output += rewritten
            changes.append(
                .init(
                    line: line, old: Self.lines(of: bytes[start..<end]), new: Self.lines(of: rewritten[...])))
            line += bytes[start..<end].count { $0 == 0x0A }
            position = end
            index = last + 1
        }
        output += bytes[position...]
        return SourcePorter.Result(
            text: String(decoding: output, as: UTF8.self), changes: changes,
            remarks: remarks.sorted { ($0.line ?? 0) < ($1.line ?? 0) }, needsSupport: needsSupport)
    }

    private static func lineStart(_ position: Int, in bytes: [UInt8]) -> Int {
        bytes[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    /// Behind the end of the line that the range ends in, or at its end where that begins a line.
    private static func lineEnd(_ range: Range<Int>, in bytes: [UInt8]) -> Int {
        let position = range.upperBound
        if !range.isEmpty, bytes[position - 1] == 0x0A { return position }
        return bytes[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    private static func lines(of bytes: ArraySlice<UInt8>) -> [String] {
        guard !bytes.isEmpty else { return [] }
        var parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts.map(String.init)
    }
}
