public import Foundation

/// Operations that belong together, and the configuration that they share.
///
/// Sendable is unchecked because the properties are plain variables, as in the original: set them before the
/// first operation of the group is added.
public final class CKOperationGroup: NSObject, @unchecked Sendable {
    /// How much data operations move, roughly.
    public enum TransferSize: Int, Sendable {
        /// Nobody knows.
        case unknown = 0
        /// Kilobytes.
        case kilobytes = 1
        /// Megabytes.
        case megabytes = 2
        /// Tens of megabytes.
        case tensOfMegabytes = 3
        /// Hundreds of megabytes.
        case hundredsOfMegabytes = 4
        /// Gigabytes.
        case gigabytes = 5
        /// Tens of gigabytes.
        case tensOfGigabytes = 6
        /// Hundreds of gigabytes.
        case hundredsOfGigabytes = 7
    }

    /// The group's own name, made by it.
    public let operationGroupID = UUID().uuidString
    /// A name for people.
    public var name: String?
    /// How many things the group deals with.
    public var quantity = 0
    /// What operations of the group use that have no configuration of their own.
    public var defaultConfiguration: CKOperation.Configuration! {
        get { configuration }
        set { configuration = newValue ?? CKOperation.Configuration() }
    }
    /// How much is sent, roughly.
    public var expectedSendSize = TransferSize.unknown
    /// How much is received, roughly.
    public var expectedReceiveSize = TransferSize.unknown

    private var configuration = CKOperation.Configuration()

    /// Makes an empty group.
    override public init() {}
}
