import RecordModel
import RecordWire

/// A file that was sent and belongs to no record yet: what stands for it in a form until the record is saved.
struct SentFile {
    /// What the file is called on the computer it came from.
    var name: String
    /// The value that a field gets, with the receipt of the upload.
    var asset: JSONObject

    init(name: String, asset: JSONObject) {
        self.name = name
        self.asset = asset
    }

    /// Reads what ``text`` gave.
    ///
    /// - Throws: `BAD_REQUEST` for anything else.
    init(text: String) throws(ServiceError) {
        guard let object = try? JSONReader.read(Array(text.utf8), maximumDepth: Limits.jsonDepth).object,
            let asset = object["value"]?.object
        else { throw ServiceError(.badRequest, "The form names a file that was not sent.") }
        self.init(name: object["name"]?.string ?? "", asset: asset)
    }

    /// The file as the value of a hidden input.
    var text: String {
        String(
            decoding: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("name", name)
                writer.key("value")
                writer.value(.object(asset))
                writer.endObject()
            }, as: UTF8.self)
    }

    /// The name and the size, for people.
    var label: String {
        let size = NumberText.bytes(asset["size"]?.int ?? 0)
        return name.isEmpty ? size : "\(name.prefix(80)), \(size)"
    }
}
