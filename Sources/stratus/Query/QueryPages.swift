import RecordModel
import RecordWire

/// Asks for a query's answer page by page.
struct QueryPages: Sendable {
    private let client: RemoteClient

    init(_ client: RemoteClient) { self.client = client }

    /// One page.
    struct Page: Sendable {
        /// The records as they came.
        var records: [JSONObject]
        /// Where the next page begins; nil on the last one.
        var marker: String?
    }

    /// Gives away the pages until there are no more or enough records came.
    ///
    /// - Parameters:
    ///   - limit: the most records wanted; nil for all.
    ///   - page: takes a page.
    /// - Returns: where to go on; nil when that was all.
    func forEach(
        _ request: RecordsQueryRequest, limit: Int?, _ page: (Page) throws -> Void
    ) async throws -> String? {
        var request = request
        var left = limit ?? .max
        repeat {
            request.resultsLimit = min(left, Limits.recordsPerAnswer)
            let answer = try await client.send(.recordsQuery, request)
            let records = try answer.objects("records")
            request.continuationMarker = try answer.string("continuationMarker")
            left -= records.count
            try page(Page(records: records, marker: request.continuationMarker))
        } while request.continuationMarker != nil && left > 0
        return request.continuationMarker
    }

    /// The number of records that match.
    func count(_ request: RecordsQueryRequest) async throws -> Int {
        try CountResponse(json: try await client.send(.recordsCount, request)).count
    }
}
