internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKContainer {
    /// Fetches what is known of the shares at some addresses.
    ///
    /// - Parameter onOutcome: called once for each address, one at a time.
    /// - Throws: why a request failed as a whole.
    func run(
        resolve urls: [URL], wantsRoot: Bool = false, rootKeys: [CKRecord.FieldKey]? = nil,
        options: ServiceClient.Options,
        onOutcome: (URL, Result<CKShare.Metadata, any Error>) -> Void
    ) async throws(CKError) {
        try await ask(
            .recordsResolve, urls, options: options,
            link: { url in
                .init(
                    value: ShareURL.token(in: url), wantsRoot: wantsRoot,
                    rootKeys: wantsRoot ? rootKeys : nil)
            }
        ) { (url, answer: ShareLinksResponse, index) in
            onOutcome(url, resolved(answer, index).map { CKShareMetadata($0, in: self) })
        }
    }

    /// Accepts shares.
    ///
    /// - Parameter onOutcome: called once for each share, one at a time.
    /// - Throws: why a request failed as a whole.
    func run(
        accept metadatas: [CKShare.Metadata], options: ServiceClient.Options,
        onOutcome: (CKShare.Metadata, Result<CKShare, any Error>) -> Void
    ) async throws(CKError) {
        var ours: [CKShare.Metadata] = []
        for metadata in metadatas {
            if metadata.containerIdentifier == containerIdentifier {
                ours.append(metadata)
            } else {
                let error = CKError(
                    .invalidArguments,
                    "The share is in the container '\(metadata.containerIdentifier)', not in "
                        + "'\(containerIdentifier ?? "")'.",
                    remedy: "Accept it in the container that its metadata names.")
                onOutcome(metadata, .failure(error))
            }
        }
        try await ask(
            .recordsAccept, ours, isWrite: true, options: options, link: { .init(value: $0.link) }
        ) { (metadata, answer: ShareLinksResponse, index) in
            onOutcome(
                metadata,
                resolved(answer, index).flatMap { wire in
                    wire.status == .accepted
                        ? .success(CKShareMetadata(wire, in: self).share) : .failure(Self.notInvited)
                })
        }
    }

    /// Asks the owners of shares to let the user take part.
    ///
    /// - Parameter onOutcome: called once for each address, one at a time.
    /// - Throws: why a request failed as a whole.
    func run(
        requestAccess urls: [URL], options: ServiceClient.Options,
        onOutcome: (URL, Result<Void, any Error>) -> Void
    ) async throws(CKError) {
        try await ask(
            .recordsRequestAccess, urls, isWrite: true, options: options,
            link: { .init(value: ShareURL.token(in: $0)) }
        ) { (url, answer: AccessRequestsResponse, index) in
            guard answer.errors.indices.contains(index) else {
                return onOutcome(url, .failure(Self.leftOut))
            }
            onOutcome(url, answer.errors[index].map { .failure(CKError($0)) } ?? .success(()))
        }
    }

    /// Sends items in as many requests as it takes.
    private func ask<Item, Answer: WireResponse>(
        _ endpoint: Endpoint, _ items: [Item], isWrite: Bool = false, options: ServiceClient.Options,
        link: (Item) -> ShareLinksRequest.Link, onAnswer: (Item, Answer, Int) -> Void
    ) async throws(CKError) {
        var rest = items[...]
        while !rest.isEmpty {
            let part = rest.prefix(Limits.itemsPerRequest)
            rest = rest.dropFirst(part.count)
            let answer: Answer = try await publicCloudDatabase.post(
                endpoint, ShareLinksRequest(links: part.map(link)), isWrite: isWrite, options: options)
            for (index, item) in part.enumerated() { onAnswer(item, answer, index) }
        }
    }

    private func resolved(_ answer: ShareLinksResponse, _ index: Int) -> Result<ResolvedShare, any Error> {
        guard answer.results.indices.contains(index) else { return .failure(Self.leftOut) }
        return answer.results[index].mapError { CKError($0) }
    }

    /// The answer to somebody who may know of the share, and is not let in.
    private static var notInvited: CKError {
        CKError(
            .permissionFailure, "You are not invited to this share.",
            remedy: "Ask for access with CKShareRequestAccessOperation.")
    }

    private static var leftOut: CKError {
        CKError(.internalError, "The service's answer leaves out the share.")
    }
}

extension CKShareMetadata {
    /// What an answer says of a share, whose records are in the private database of the owner and in the shared one of
    /// everybody else.
    fileprivate convenience init(_ wire: ResolvedShare, in container: CKContainer) {
        let database = wire.isOwned ? container.privateCloudDatabase : container.sharedCloudDatabase
        let zoneID = CKRecordZoneID.from(wire.zoneID, scope: database.databaseScope)
        let record = CKRecord.from(wire.share, zoneID: zoneID, in: database)
        let share =
            record as? CKShare
            ?? CKShare(recordID: record.recordID, state: record.snapshot, terms: .init(rootRecordID: nil))
        self.init(
            containerIdentifier: wire.containerIdentifier, link: wire.link, share: share,
            rootRecordID: wire.rootRecordName.map { CKRecord.ID(recordName: $0, zoneID: zoneID) },
            rootRecord: wire.rootRecord.map { CKRecord.from($0, zoneID: zoneID, in: database) },
            role: CKShare.ParticipantRole(wire.role),
            status: CKShare.ParticipantAcceptanceStatus(wire.status),
            permission: CKShare.ParticipantPermission(wire.permission))
    }
}
