public import RecordModel

/// The answer of `assets/upload`.
public struct AssetsUploadResponse: WireResponse {
    /// Where the file of one field goes.
    public struct Token: Hashable, Sendable {
        /// The record's name.
        public var recordName: String
        /// The field.
        public var fieldName: String
        /// The address to send the bytes to.
        public var url: String

        init(json: JSONObject) throws(JSONError) {
            recordName = try json.requiredString("recordName")
            fieldName = try json.requiredString("fieldName")
            url = try json.requiredString("url")
        }
    }

    /// One result for each field asked for, in their order.
    public var tokens: [ItemResult<Token>]

    public init(json: JSONObject) throws(JSONError) {
        tokens = try json.items("tokens", Token.init(json:))
    }
}

/// The answer to the bytes of a file.
public struct AssetUploadResponse: WireResponse {
    /// The value for the record's field.
    public var singleFile: Asset

    public init(json: JSONObject) throws(JSONError) {
        guard let file = try json.object("singleFile") else { throw .missing("singleFile") }
        singleFile = try Asset(json: file)
    }
}

/// The answer of `assets/rereference`.
public struct AssetsRereferenceResponse: WireResponse {
    /// The files of each field asked for, in the order of the request: one, or all of a list.
    public var assets: [ItemResult<[Asset]>]

    public init(json: JSONObject) throws(JSONError) {
        guard let items = json["assets"]?.array else { throw .missing("assets") }
        assets = []
        for item in items {
            if let object = item.object {
                if let error = ErrorDictionary(json: object) {
                    assets.append(.failure(error))
                } else {
                    assets.append(.success([try Asset(json: object)]))
                }
            } else {
                var files: [Asset] = []
                for element in item.array ?? [] {
                    guard let object = element.object else { throw .shape("An asset is not an object.") }
                    files.append(try Asset(json: object))
                }
                assets.append(.success(files))
            }
        }
    }
}
