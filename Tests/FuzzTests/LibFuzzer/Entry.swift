import Dispatch
import Foundation
import Synchronization

/// Tries one door with libFuzzer: `FuzzTests DOOR` and libFuzzer's options. `FuzzTests DOOR --seeds FOLDER` writes what the door
/// begins with, and that is all. `scripts/fuzz.sh` does both.
@main struct Entry {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let door = try FuzzTarget.all().first(where: { $0.name == arguments[1] })
        else {
            for door in try FuzzTarget.all() { print(door.name) }
            return
        }
        if arguments.count == 4, arguments[2] == "--seeds" { return try write(door, to: arguments[3]) }
        Tried.door.withLock { $0 = door }
        var rest = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
        var count = Int32(rest.count - 1)
        let status = rest.withUnsafeMutableBufferPointer { buffer in
            var base = buffer.baseAddress
            return runLibFuzzer(&count, &base, tryOneInput)
        }
        exit(status)
    }

    private static func write(_ door: FuzzTarget, to folder: String) throws {
        let corpus = URL(fileURLWithPath: folder).appendingPathComponent("corpus")
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        for (number, seed) in door.seeds.enumerated() {
            try Data(seed).write(to: corpus.appendingPathComponent("seed-\(number)"))
        }
        let words = door.words.map { word in
            "\"" + word.utf8.map { String(format: "\\x%02X", $0) }.joined() + "\"\n"
        }
        try Data(words.joined().utf8).write(
            to: URL(fileURLWithPath: folder).appendingPathComponent("words.dict"))
    }
}

/// The door of this process.
private enum Tried {
    static let door = Mutex<FuzzTarget?>(nil)
}

/// `LLVMFuzzerRunDriver` of libFuzzer , of which no header speaks.
@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ attempt: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What libFuzzer calls with each input. What must not be taken ends the process, as a trap does, and libFuzzer keeps the input.
private func tryOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let door = Tried.door.withLock({ $0 }) else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let failure = Mutex<String?>(nil)
    let end = DispatchSemaphore(value: 0)
    Task {
        do {
            _ = try await door.attempt(input)
        } catch {
            failure.withLock { $0 = "\(error)" }
        }
        end.signal()
    }
    end.wait()
    if let text = failure.withLock({ $0 }) { fatalError("\(door.name): \(text)") }
    return 0
}
