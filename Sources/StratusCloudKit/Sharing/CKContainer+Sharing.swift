public import Foundation

/// Invitations and their acceptance.
extension CKContainer {
    /// Fetches the metadata at the address of a share, without its root record.
    ///
    /// - Throws: `CKError`: `unknownItem` where there is no share, and where the user is not let in to it;
    ///   `participantMayNeedVerification` where the user may be one of those who were invited by another address;
    ///   `notAuthenticated` where nobody is signed in and a user is needed; another code when the request fails otherwise.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let result = try await shareMetadatas(for: [url])[url] else { throw Self.noResult }
        return try result.get()
    }

    /// Fetches the metadata at the addresses of shares, without their root records; see ``CKFetchShareMetadataOperation``.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single addresses are in the result.
    public func shareMetadatas(
        for urls: [URL]
    ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
        try await run(resolve: urls, options: publicCloudDatabase.options) { results[$0] = $1 }
        return results
    }

    /// Accepts a share. Accepting it again is harmless.
    ///
    /// - Throws: `CKError`: `unknownItem` where the share is gone, or the user may not know of it; `permissionFailure` where the
    ///   user is not invited; `invalidArguments` for a share of another container; `notAuthenticated` where nobody is signed in; `serverResponseLost` where nobody
    ///   knows whether it was accepted; another code when the request fails otherwise.
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        guard let result = try await accept([metadata])[metadata] else { throw Self.noResult }
        return try result.get()
    }

    /// Accepts shares; see ``CKAcceptSharesOperation``.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single shares are in the result.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        var results: [CKShare.Metadata: Result<CKShare, any Error>] = [:]
        try await run(accept: metadatas, options: publicCloudDatabase.options) { results[$0] = $1 }
        return results
    }

    private static var noResult: CKError {
        CKError(.internalError, "The service's answer leaves out the share.")
    }
}

extension CKContainer {
    /// Fetches the metadata at the address of a share; see ``shareMetadata(for:)``.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await shareMetadata(for: url) }
    }

    /// Fetches the metadata at the addresses of shares; see ``shareMetadatas(for:)``.
    @preconcurrency
    public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler:
            @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await shareMetadatas(for: urls) }
    }

    /// Accepts a share.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata,
        completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] () -> CKShare in try await accept(metadata) }
    }

    /// Accepts shares.
    @preconcurrency
    public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler:
            @escaping @Sendable (
                Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>
            ) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await accept(metadatas) }
    }
}
