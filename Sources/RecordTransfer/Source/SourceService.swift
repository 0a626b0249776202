public import RecordModel
public import RecordWire

/// A service of the protocol that records are read from. Whoever implements it tries again where that helps, as long as
/// that helps.
public protocol SourceService: Sendable {
    /// Sends a request to a database and gives the object that was answered.
    ///
    /// - Throws: `ErrorDictionary` where the service refuses for good, other errors where no answer came.
    func send(
        _ endpoint: Endpoint, to scope: DatabaseScope, _ request: some WireRequest
    ) async throws -> JSONObject

    /// Fetches a file into a new one.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - path: where it goes; what is there in part after an error is the caller's to remove.
    ///   - maximumBytes: how long it may be.
    /// - Throws: `ErrorDictionary` where the service refuses for good, with the code `HTTP_` and the status where it gives
    ///   none; other errors where no answer came.
    func download(_ url: String, to path: String, maximumBytes: Int64) async throws
}
