public import Foundation

/// Invitations and their acceptance. The service cannot yet: everything here completes with
/// `CKError.serverRejectedRequest`, which says which version of the server will.
extension CKContainer {
    /// Fetches the metadata at the address of a share.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        throw PlannedFeature.sharing.error
    }

    /// Fetches the metadata at the addresses of shares.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareMetadatas(
        for urls: [URL]
    ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        throw PlannedFeature.sharing.error
    }

    /// Accepts a share.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        throw PlannedFeature.sharing.error
    }

    /// Accepts shares.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        throw PlannedFeature.sharing.error
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
