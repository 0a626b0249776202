import DataModel
import Foundation

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
