import RecordModel
import RecordStorage

/// Where a query goes on: what the store said, sealed for the query.
enum ContinuationMarker {
    static func make(_ cursor: ScanCursor, for query: [UInt8], secret: ServiceSecret) -> String {
        SealedToken.seal(cursor.bytes, for: query, as: .cursor, secret: secret)
    }

    static func read(
        _ marker: String, for query: [UInt8], secret: ServiceSecret
    ) throws(ServiceError) -> ScanCursor {
        if let bytes = SealedToken.open(marker, for: query, as: .cursor, secret: secret) {
            return ScanCursor(bytes: bytes)
        }
        // Until version 0.2 this side of the boundary wrote the bytes; engines know them as their form 0.
        if let bytes = SealedToken.open(marker, for: query, secret: secret) {
            return ScanCursor(bytes: [0] + bytes)
        }
        throw unknown
    }

    /// A marker that says nothing to this query.
    static var unknown: ServiceError {
        ServiceError(
            .badRequest, "The continuation marker does not belong to this query.",
            remedy: "Repeat the query that the marker came from, unchanged, or start again without a marker.")
    }
}
