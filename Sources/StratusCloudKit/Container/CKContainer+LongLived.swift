/// Operations that outlive the process. There are none here: an operation ends with its process, and
/// `isLongLived` is kept without effect, so there is never one to go on with.
extension CKContainer {
    /// The operations of earlier launches that go on: always none.
    ///
    /// - Throws: never; the signature is Apple's.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

    /// An operation of an earlier launch; always nil, as for one that is done.
    ///
    /// - Throws: never; the signature is Apple's.
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? { nil }

    /// The operations of earlier launches that go on: always none.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await allLongLivedOperationIDs() }
    }

    /// An operation of an earlier launch; always nil, as for one that is done.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? nil, $1) }.run { [self] in
            try await longLivedOperation(for: operationID)
        }
    }
}
