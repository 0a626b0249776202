import DataModel
import Foundation

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
