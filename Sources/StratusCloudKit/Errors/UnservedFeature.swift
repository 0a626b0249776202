/// A part of CloudKit whose types are here, and which no version of the service is to serve: Apple has deprecated it, and
/// something else does the work. What is to come is a ``PlannedFeature``.
enum UnservedFeature: CaseIterable, Sendable {
    /// A list of the notifications that were sent.
    case sentNotifications
    /// The number on an app's icon.
    case badges

    /// The error of a request that needs the feature: `CKError.serverRejectedRequest`, which no app repeats.
    var error: CKError {
        switch self {
        case .sentNotifications:
            CKError(
                .serverRejectedRequest, "The service does not keep the notifications that it sent.",
                remedy: "Ask for what changed with CKFetchDatabaseChangesOperation and "
                    + "CKFetchRecordZoneChangesOperation.")
        case .badges:
            CKError(
                .serverRejectedRequest, "The service does not count badges.",
                remedy: "Set the number where the app shows it.")
        }
    }

    /// The error for an operation that needs the feature: that of a cancellation where it was cancelled.
    var errorUnlessCancelled: CKError {
        Task.isCancelled ? CKError(any: CancellationError()) : error
    }
}
