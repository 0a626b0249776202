internal import Foundation
internal import RecordModel
internal import RecordWire

extension ServiceClient {
    /// Sends a file to an address that the service gave for it.
    ///
    /// Sending it again does no harm: the same address takes the same content.
    /// - Returns: what the record's field is to be set to.
    func upload(
        _ file: URL, to address: String, options: Options, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> Asset {
        let receipt = try await repeating(options: options) {
            timeout -> Result<AssetUploadResponse, Problem> in
            let request = TransferRequest(
                address: address, timeout: timeout, allowsCellularAccess: options.allowsCellularAccess)
            let outcome = await attempt {
                try await transport.upload(file, by: request, progress: progress)
            }
            return outcome.flatMap { read($0) }
        }
        return receipt.singleFile
    }

    /// Gets a file from an address that the service gave for it.
    ///
    /// - Parameter target: gives a new place for every attempt.
    func download(
        from address: String, size: Int64, options: Options, progress: @escaping @Sendable (Int64) -> Void,
        to target: () throws(CKError) -> URL
    ) async throws(CKError) {
        try await repeating(options: options) { timeout -> Result<Void, Problem> in
            let file: URL
            do throws(CKError) {
                file = try target()
            } catch {
                return .failure(Problem(error: error, failure: .final))
            }
            let request = TransferRequest(
                address: address, timeout: timeout, allowsCellularAccess: options.allowsCellularAccess,
                maximumBytes: size)
            let outcome = await attempt {
                try await transport.download(to: file, by: request, progress: progress)
            }
            return outcome.flatMap { answer in
                guard !(200..<300).contains(answer.status) else { return .success(()) }
                let json = try? JSONReader.read(answer.body).object
                var problem = problem(answer, json: json)
                // The service said no, for whatever reason: there is no such file for this app.
                if case .final = problem.failure {
                    problem.error = .assetNotAvailable(because: problem.error)
                }
                return .failure(problem)
            }
        }
    }
}

extension CKError {
    /// The error for a file that cannot be had.
    static func assetNotAvailable(because cause: CKError) -> CKError {
        CKError(
            .assetNotAvailable, "The asset cannot be fetched: \(cause.errorDescription ?? "\(cause.code)")",
            remedy: "Fetch the record again: an asset's address expires.",
            userInfo: [NSUnderlyingErrorKey: cause])
    }
}
