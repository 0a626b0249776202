extension CKContainer {
    /// Gives a container whose requests use a configuration; its user is that of this one.
    ///
    /// The group only names what belongs together; its configuration is used where the other says nothing.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) throws -> R
    ) rethrows -> R {
        try body(CKContainer(self, configuration, group))
    }

    /// Gives a container whose requests use a configuration; its user is that of this one.
    ///
    /// The group only names what belongs together; its configuration is used where the other says nothing.
    @discardableResult
    @preconcurrency
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (CKContainer) async throws -> R
    ) async rethrows -> R {
        try await body(CKContainer(self, configuration, group))
    }
}
