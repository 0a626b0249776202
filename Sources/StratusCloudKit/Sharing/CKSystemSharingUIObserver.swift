public import Foundation

/// Observes the user's changes of a share in a screen of the system.
///
/// There is no such screen here, so its blocks are never called. It exists so that code which sets them
/// compiles.
///
/// Sendable is unchecked because the blocks are plain variables, as in Apple's: set them before the
/// observer is used by others.
open class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
    /// Called when the user saved a share; never called here.
    @preconcurrency public var systemSharingUIDidSaveShareBlock:
        (@Sendable (_ recordID: CKRecord.ID, _ saveResult: Result<CKShare, any Error>) -> Void)?
    /// Called when the user stopped sharing; never called here.
    @preconcurrency public var systemSharingUIDidStopSharingBlock:
        (@Sendable (_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?

    /// Observes the shares of a container.
    public init(container: CKContainer) {}
}
