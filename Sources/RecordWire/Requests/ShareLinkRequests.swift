/// The body of `records/resolve`, `records/accept` and `records/requestAccess`.
public struct ShareLinksRequest: WireRequest, Hashable {
    /// One link of the request.
    public struct Link: Hashable, Sendable {
        /// The link as the client has it: the short identifier, an address that ends in it, or a text with such an address.
        public var value: String
        /// Whether the record that it leads to is wanted.
        public var wantsRoot: Bool?
        /// The fields wanted of that record; nil for all.
        public var rootKeys: [String]?

        /// Names a link.
        public init(value: String, wantsRoot: Bool? = nil, rootKeys: [String]? = nil) {
            self.value = value
            self.wantsRoot = wantsRoot
            self.rootKeys = rootKeys
        }

        init(json: JSONObject) throws(JSONError) {
            value = try json.requiredString("value")
            wantsRoot = try json.bool("shouldFetchRootRecord")
            rootKeys = try json.strings("rootRecordDesiredKeys")
        }

        /// Writes the link as requests and answers have it.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("value", value)
            writer.member("shouldFetchRootRecord", wantsRoot)
            writer.member("rootRecordDesiredKeys", rootKeys)
            writer.endObject()
        }
    }

    /// The links, in the order in which they are answered.
    public var links: [Link]

    /// Asks for links.
    public init(links: [Link]) { self.links = links }

    public init(json: JSONObject) throws(JSONError) {
        guard json["shortGUIDs"] != nil else { throw .missing("shortGUIDs") }
        links = []
        for object in try json.objects("shortGUIDs") { links.append(try Link(json: object)) }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("shortGUIDs")
        writer.beginArray()
        for link in links { link.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}
