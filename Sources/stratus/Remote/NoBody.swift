import RecordWire

/// The body of a request that needs none.
struct NoBody: WireRequest {
    init() {}

    init(json: JSONObject) throws(JSONError) {}

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }
}
