import CloudKit

/// A token for a web view.
func webTokenOperation(apiToken: String, completion: @escaping (String?, Error?) -> Void)
    -> CKFetchWebAuthTokenOperation
{
    let operation = CKFetchWebAuthTokenOperation(apiToken: apiToken)
    operation.fetchWebAuthTokenCompletionBlock = completion
    return operation
}
