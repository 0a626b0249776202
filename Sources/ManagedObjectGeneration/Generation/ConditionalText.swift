/// Lines of source, grouped by the `#if` conditions that they are in.
struct ConditionalText {
    private(set) var lines: [String] = []
    private var open: [String] = []

    mutating func append(_ text: [String], when conditions: [String]) {
        if conditions != open {
            close()
            lines += conditions.map { "#if \($0)" }
            open = conditions
        }
        lines += text
    }

    mutating func close() {
        lines += open.map { _ in "#endif" }
        open = []
    }
}
