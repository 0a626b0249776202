import Foundation

// store-bench [--rounds 7] [--rows 100000] [--long 1000000] [--json FILE]
//
// Runs each piece of work in turn with SQLite's own functions, GRDB and the object store, so many rounds, and prints
// medians and ratios. The answers of the three are compared, so that nobody wins by doing less.

func option(_ name: String, _ standard: Int) -> Int {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: name), arguments.indices.contains(place + 1) else {
        return standard
    }
    return Int(arguments[place + 1]) ?? standard
}

func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(work)
    return Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The most memory that the process has had.
enum Memory {
    static var peakMiB: Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .nan
        return kilobytes / 1_024
    }
}

struct Line {
    var work: String
    var raw: Double?
    var grdb: Double?
    var objects: Double
    var note = ""
}

if let place = CommandLine.arguments.firstIndex(of: "--scroll"),
    CommandLine.arguments.indices.contains(place + 1)
{
    let store = try ObjectStore(CommandLine.arguments[place + 1], indexed: false, cacheKiB: nil)
    var sum: Int64 = 0
    let time = try milliseconds { sum = try store.scroll(every: 1) }
    print(time, sum > 0 ? Memory.peakMiB : .nan)
    exit(0)
}

let rounds = option("--rounds", 7)
let rows = option("--rows", 100_000)
let long = option("--long", 1_000_000)
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "store-bench-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
// Used by this one thread only.
nonisolated(unsafe) var files = 0
func newFile(_ kind: String) -> String {
    files += 1
    return folder.appendingPathComponent("\(kind)-\(files).sqlite").path
}
func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Times the three in turn, so many rounds.
func compare(
    _ work: String, repeats: Int = 1, raw: () throws -> Int64, grdb: () throws -> Int64,
    objects: () throws -> Int64
) rethrows -> Line {
    var times: [[Double]] = [[], [], []]
    for _ in 0..<rounds {
        var answers: [Int64] = [0, 0, 0]
        try times[0].append(
            milliseconds { for _ in 0..<repeats { answers[0] = try raw() } } / Double(repeats))
        try times[1].append(
            milliseconds { for _ in 0..<repeats { answers[1] = try grdb() } } / Double(repeats))
        try times[2].append(
            milliseconds { for _ in 0..<repeats { answers[2] = try objects() } } / Double(repeats))
        guard answers[0] == answers[1], answers[1] == answers[2] else {
            fatalError("\(work): the answers differ: \(answers)")
        }
    }
    say("  \(work)")
    return Line(work: work, raw: median(times[0]), grdb: median(times[1]), objects: median(times[2]))
}

var lines: [Line] = []
let half = Player.make(rows / 2)
say("Inserting …")
lines.append(
    try compare("insert and save \(rows / 2) objects of 10 attributes") {
        let store = RawStore(newFile("raw"))
        store.insert(half)
        return Int64(store.count())
    } grdb: {
        let store = try GRDBStore(newFile("grdb"))
        try store.insert(half)
        return Int64(try store.count())
    } objects: {
        let store = try ObjectStore(newFile("objects"), indexed: false)
        try store.insert(half)
        return Int64(try store.count())
    })

say("Reading …")
let players = Player.make(rows)
let raw = RawStore(newFile("raw"))
raw.insert(players)
raw.run(RawStore.index)
let grdb = try GRDBStore(newFile("grdb"))
try grdb.insert(players)
try grdb.index()
let objects = try ObjectStore(newFile("objects"), indexed: true)
try objects.insert(players)

lines.append(
    try compare("fetch \(rows) objects, read one attribute of each") {
        raw.readAll()
    } grdb: {
        try grdb.readAll()
    } objects: {
        try objects.readAll()
    })
lines.append(
    try compare("fetch \(rows) object IDs") {
        Int64(raw.readIDs())
    } grdb: {
        Int64(try grdb.readIDs())
    } objects: {
        Int64(try objects.readIDs())
    })
lines.append(
    try compare("count", repeats: 50) {
        Int64(raw.count())
    } grdb: {
        Int64(try grdb.count())
    } objects: {
        Int64(try objects.count())
    })
do {
    let context = objects.container.newBackgroundContext()
    var turns: [Int64] = [0, 0, 0]
    func next(_ who: Int) -> Int64 {
        turns[who] += 37
        return turns[who] % Player.cities
    }
    lines.append(
        try compare("50 objects by indexed predicate and sort out of \(rows)", repeats: 200) {
            raw.page(city: next(0))
        } grdb: {
            try grdb.page(city: next(1))
        } objects: {
            try objects.page(city: next(2), in: context)
        })
}

say("Beside saves …")
do {
    let alone = try BesideSaves.times(objects, seconds: 3)
    for count in [1, 200, 5_000] {
        let (times, saves) = try BesideSaves.times(objects, seconds: 3, beside: count)
        lines.append(
            Line(
                work: "the same beside a context that saves \(count) changed objects again and again",
                raw: nil,
                grdb: nil, objects: median(times),
                note: String(
                    format: "p99 %.1f ms, longest %.1f; alone %.2f, p99 %.1f; %.0f saves a second",
                    times[times.count * 99 / 100], times[times.count - 1], median(alone),
                    alone[alone.count * 99 / 100], saves)))
    }
}

say("The controller …")
do {
    let work = try ControllerWork(objects)
    var again: [Double] = []
    var change: [Double] = []
    for round in 0..<rounds {
        try again.append(milliseconds { try work.fetchAgain() })
        try change.append(
            milliseconds { for step in 0..<20 { try work.change((round * 20 + step) * 97 % rows) } } / 20)
    }
    lines.append(
        Line(
            work: "one attribute changed, saved and reported by the controller, list of \(rows)", raw: nil,
            grdb: nil,
            objects: median(change),
            note: String(
                format: "performing the fetch again: %.1f ms, %.0f times as long", median(again),
                median(again) / median(change))))
}

if long > 0 {
    say("Scrolling through \(long) rows …")
    let path = newFile("long")
    do {
        let store = try ObjectStore(path, indexed: false)
        for start in stride(from: 0, to: long, by: 50_000) {
            try store.insert(Player.make(min(50_000, long - start)))
        }
    }
    // A process of its own, so that the memory is the scrolling's alone.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--scroll", path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let parts = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    lines.append(
        Line(
            work: "batches of 50 over \(long) rows, all looked at", raw: nil, grdb: nil,
            objects: parts.first ?? .nan,
            note: String(format: "%.0f MiB at most", parts.last ?? .nan)))
}

Report.write(lines, rounds: rounds)
