import Foundation

/// Says where long work is, to a person only, and only once it takes a while.
struct InspectionProgress {
    private let total: Int
    private let what: String
    private let console: Console
    private let start = Date()
    private var done = 0
    private var last = Date.distantPast
    private var isShown = false

    init(total: Int, of what: String, console: Console) {
        self.total = total
        self.what = what
        self.console = console
    }

    /// Names what is worked on now.
    mutating func step(_ name: String) {
        done += 1
        let now = Date()
        guard console.isErrorTerminal, now.timeIntervalSince(start) > 1, now.timeIntervalSince(last) > 0.2
        else {
            return
        }
        last = now
        isShown = true
        console.show(progress: "\(done) of \(total) \(what): \(name)")
    }

    /// Clears the line.
    mutating func end() {
        if isShown { console.clearProgress() }
        isShown = false
    }
}

/// Reports as JSON, with their keys in order.
enum InspectionJSON {
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }
}
