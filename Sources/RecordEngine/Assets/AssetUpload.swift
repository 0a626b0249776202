public import NIOCore
import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// The most bytes that a multipart body may have around its file.
    private static let multipartExtraBytes: Int64 = 65_536

    /// Takes in a file for an address that `assets/upload` gave.
    ///
    /// When this returns, the file is on disk and known, so its receipt is good. When it throws, nothing of the
    /// file is left. The memory it takes does not depend on the file's length.
    /// - Parameters:
    ///   - bytes: the request's body. Its end has to be that of the body: one that was cut off has to throw.
    ///   - token: what follows ``AssetPath/upload`` in the address.
    ///   - contentType: the request's, which tells a multipart body from the file itself.
    ///   - length: how many bytes there will be, where it is known.
    /// - Returns: the JSON of the answer.
    /// - Throws: `ACCESS_DENIED` for an address that is not ours, is too old, is from before the process started or
    ///   has taken another file; `QUOTA_EXCEEDED` for a file that is too large; `BAD_REQUEST` for a body that is cut
    ///   off, for a multipart one that has no file or cannot be read, and where the service stores no files;
    ///   `TRY_AGAIN_LATER` where `bytes` throws it; `StorageError` where the file cannot be stored;
    ///   `CancellationError`.
    public func upload<Bytes: AsyncSequence>(
        _ bytes: Bytes, token: Substring, contentType: String? = nil, length: Int64? = nil
    ) async throws -> [UInt8] where Bytes.Element == ByteBuffer {
        guard let assets else { throw ServiceError.storesNoFiles }
        let now = environment.now()
        let token = try UploadToken.open(
            String(AssetPath.parts(token).first), secret: secret, now: now)
        try assets.uses.check(token)
        let multipart = try contentType.flatMap(MultipartFile.init(contentType:))
        let most = Int64(Limits.assetBytes) + (multipart == nil ? 0 : Self.multipartExtraBytes)
        if let length, length > most { throw ServiceError.assetTooLarge }
        let writer = try await assets.store.beginUpload()
        let content: AssetContent
        var isFirst = false
        do {
            try await Self.copy(bytes, of: multipart, length: length, atMost: most, to: writer)
            content = try await writer.finish()
            guard content.size <= Limits.assetBytes else { throw ServiceError.assetTooLarge }
            isFirst = try assets.uses.use(token, for: content.digest, now: now)
            try await assets.withLock(content.digest) { [store] in
                try await writer.place()
                do {
                    try await store.write { try $0.noteAsset(content, at: now) }
                } catch {
                    await Self.takeBack(content.digest, assets, store)
                    throw error
                }
            }
        } catch {
            if isFirst { assets.uses.forget(token) }
            await writer.abandon()
            throw error
        }
        let receipt = AssetReceipt.make(
            content, for: token.database, slot: token.slot, now: now, secret: secret)
        return JSONWriter.text { writer in
            var asset = Asset(content)
            asset.receipt = receipt
            writer.beginObject()
            writer.key("singleFile")
            asset.write(to: &writer)
            writer.endObject()
        }
    }

    /// Removes a file that was placed and could not be noted, on a full disk for example, unless an earlier upload
    /// of the same content noted it. Where even this fails, a sweep finds the file.
    private static func takeBack(
        _ digest: AssetDigest, _ assets: AssetLibrary, _ store: any RecordStore
    ) async {
        // Not in the task of the upload: one that was cancelled cleans up as well.
        await Task {
            do {
                guard try await store.read(.short, { try $0.asset(digest) == nil }) else { return }
                try await assets.store.delete(digest)
            } catch {
                // The error of the upload is the one that matters.
            }
        }.value
    }

    /// Copies a body, or the file within it, to a writer.
    private static func copy<Bytes: AsyncSequence>(
        _ bytes: Bytes, of multipart: MultipartFile?, length: Int64?, atMost most: Int64,
        to writer: any AssetWriter
    ) async throws where Bytes.Element == ByteBuffer {
        var multipart = multipart
        var count: Int64 = 0
        var iterator = bytes.makeAsyncIterator()
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await iterator.next()
            } catch let error as ServiceError where error.code == .tryAgainLater {
                throw error
            } catch {
                throw ServiceError.uploadCutOff(error)
            }
            guard let piece else { break }
            count += Int64(piece.readableBytes)
            guard count <= most else { throw ServiceError.assetTooLarge }
            if multipart == nil {
                try await writer.write(piece)
            } else {
                for part in try multipart?.take(piece) ?? [] { try await writer.write(part) }
            }
        }
        // Where a task is cancelled, streams end as if they were whole.
        try Task.checkCancellation()
        guard length == nil || length == count else { throw ServiceError.uploadCutOff(nil) }
        try multipart?.finish()
    }
}

extension ServiceError {
    static let assetTooLarge = ServiceError(
        exceeding: "assetBytes", "The file is larger than \(Limits.assetBytes) bytes.",
        remedy: "GET /limits says how large a file may be.")

    static func uploadCutOff(_ cause: (any Error)?) -> ServiceError {
        ServiceError(
            .badRequest, "The upload is incomplete.", remedy: "Send the file again.", cause: cause)
    }
}

/// The files of a service, and what keeps uploads and sweeps apart.
struct AssetLibrary: Sendable {
    let store: any AssetStore
    private let locks = AssetLocks()
    let uses: UploadUses

    init(store: any AssetStore, uses: UploadUses = UploadUses(start: .min)) {
        self.store = store
        self.uses = uses
    }

    /// Runs a closure while nobody else does with the same content, in any process that shares the files.
    func withLock<Value: Sendable>(
        _ digest: AssetDigest, _ body: () async throws -> Value
    ) async throws -> Value {
        try await locks.withLock(digest) {
            let held = try await store.hold(digest)
            defer { withExtendedLifetime(held) {} }
            return try await body()
        }
    }
}
