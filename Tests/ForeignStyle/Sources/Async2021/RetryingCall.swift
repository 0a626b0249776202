import CloudKit

/// Tries again when the service asks for it.
func retrying<T>(times: Int = 3, _ call: () async throws -> T) async throws -> T {
    var attempt = 0
    while true {
        do {
            return try await call()
        } catch let error as CKError where error.retryAfterSeconds != nil && attempt < times {
            attempt += 1
            try await Task.sleep(nanoseconds: UInt64(min(error.retryAfterSeconds ?? 0, 0.01) * 1_000_000_000))
        } catch CKError.unknownItem {
            throw CKError(.unknownItem)
        }
    }
}
