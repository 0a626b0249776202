import CloudKit

class AcceptingShares {
    var accepted: [String] = []

    func accept(
        _ metadata: [CKShare.Metadata], in container: CKContainer, completion: @escaping (Error?) -> Void
    ) {
        let operation = CKAcceptSharesOperation(shareMetadatas: metadata)
        operation.perShareCompletionBlock = { metadata, share, error in
            if let share = share { self.accepted.append(share.recordID.recordName) }
        }
        operation.acceptSharesCompletionBlock = completion
        container.add(operation)
    }

    func look(at urls: [URL], in container: CKContainer, completion: @escaping (Error?) -> Void) {
        let operation = CKFetchShareMetadataOperation(shareURLs: urls)
        operation.shouldFetchRootRecord = true
        operation.rootRecordDesiredKeys = ["text"]
        operation.perShareMetadataBlock = { url, metadata, error in }
        operation.fetchShareMetadataCompletionBlock = completion
        container.add(operation)
    }
}
