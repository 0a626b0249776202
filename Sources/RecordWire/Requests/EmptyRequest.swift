/// The body of a request that has nothing to say: `{}`.
public struct EmptyRequest: WireRequest {
    /// There is nothing to set.
    public init() {}

    public init(json: JSONObject) throws(JSONError) {}

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }
}
