import DataModel
import Foundation

/// SplitMix64: the same seed gives the same run on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A folder of its own, which goes with the last holder.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "datamodel-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    @discardableResult
    func write(_ data: Data, _ path: String) throws -> URL {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }

    @discardableResult
    func write(_ text: String, _ path: String) throws -> URL { try write(Data(text.utf8), path) }
}

/// A model as the text of a `contents` file: lines 1 and 2 are the head, the body begins on line 3.
func modelText(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
    \(body)
    </model>
    """
}

func model(_ body: String) throws -> ModelDocument {
    try ModelDocument(xml: Data(modelText(body).utf8))
}

/// The error of reading a model; nil where it can be read.
func failure(_ body: String) -> ModelDocumentError? {
    do {
        _ = try model(body)
        return nil
    } catch {
        return error as? ModelDocumentError
    }
}

/// The first lines in which two models differ.
func difference(_ first: ModelDocument, _ second: ModelDocument) -> String {
    var texts = ["", ""]
    dump(first, to: &texts[0])
    dump(second, to: &texts[1])
    let lines = texts.map { $0.split(separator: "\n") }
    let pair = zip(lines[0], lines[1]).first { $0 != $1 }
    return pair.map { "\($0.0) | \($0.1)" } ?? "one is longer"
}
