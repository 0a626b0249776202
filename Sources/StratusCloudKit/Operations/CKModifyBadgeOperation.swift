/// Sets the number on the app's icon on all devices of the user.
///
/// The service counts no badges: the operation ends with `CKError.serverRejectedRequest`, which says so.
///
/// Sendable is unchecked as in ``CKOperation``.
@available(*, deprecated, message: "No longer supported, will cease working at some point in the future.")
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number.
    open var badgeValue = 0

    /// Called once at the end.
    open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation for the number 0.
    override public init() {}

    /// Makes an operation for a number.
    public convenience init(badgeValue: Int) {
        self.init()
        self.badgeValue = badgeValue
    }

    override func work() async {
        modifyBadgeCompletionBlock?(UnservedFeature.badges.errorUnlessCancelled)
    }
}
