import RecordModel

/// How large a record may be.
enum RecordSize {
    /// Checks a record's new state.
    ///
    /// Its data is what counts. What JSON makes of it is bounded besides, wide enough for any text and any bytes within the
    /// first limit: a character may take six bytes.
    ///
    /// - Parameters:
    ///   - fields: its values.
    ///   - bodyBytes: the length of its body.
    /// - Throws: `QUOTA_EXCEEDED` with the limit.
    static func check(
        _ fields: [(name: String, value: FieldValue)], bodyBytes: Int
    ) throws(ServiceError) {
        // Most bodies are shorter than what their data may be.
        guard bodyBytes > Limits.recordBytes else { return }
        let data = fields.reduce(0) { $0 + $1.value.dataBytes }
        guard data <= Limits.recordBytes else {
            throw ServiceError(
                exceeding: "recordBytes",
                "The record has \(data) bytes of data; \(Limits.recordBytes) are allowed.",
                remedy: "Keep large data in an asset.")
        }
        guard bodyBytes <= Limits.recordBodyBytes else {
            throw ServiceError(
                exceeding: "recordBodyBytes",
                "The record takes \(bodyBytes) bytes of JSON; \(Limits.recordBodyBytes) are allowed.",
                remedy: "Keep large data in an asset, or in fewer values.")
        }
    }
}
