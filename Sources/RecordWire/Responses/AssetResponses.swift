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
    /// One result for each field asked for, in their order.
    public var assets: [ItemResult<Asset>]

    public init(json: JSONObject) throws(JSONError) {
        assets = try json.items("assets", Asset.init(json:))
    }
}
