public import Foundation

/// Operations that belong together, and the configuration that they share.
///
/// Sendable is unchecked because the properties are plain variables, as in Apple's: set them before the
/// first operation of the group is added.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
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
    open private(set) var operationGroupID: String
    /// A name for people.
    open var name: String?
    /// How many things the group deals with.
    open var quantity = 0
    /// What the group's operations use where they set nothing: a copy of what is set.
    open var defaultConfiguration: CKOperation.Configuration! {
        get { configuration }
        set {
            configuration =
                newValue.map { CKOperation.Configuration($0.settings) } ?? CKOperation.Configuration()
        }
    }
    /// How much is sent, roughly.
    open var expectedSendSize = TransferSize.unknown
    /// How much is received, roughly.
    open var expectedReceiveSize = TransferSize.unknown

    private var configuration = CKOperation.Configuration()

    /// Makes an empty group.
    override public init() { operationGroupID = UUID().uuidString }

    /// Reads a group from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let name = coder.safeText(forKey: "OperationGroupID") else { return nil }
        operationGroupID = name
        super.init()
        self.name = coder.safeText(forKey: "Name")
        quantity = coder.safeInteger(forKey: "Quantity") ?? 0
        configuration =
            coder.safeObject(of: CKOperationConfiguration.self, forKey: "DefaultConfiguration")
            ?? configuration
        expectedSendSize = TransferSize(coder: coder, key: "ExpectedSendSize")
        expectedReceiveSize = TransferSize(coder: coder, key: "ExpectedReceiveSize")
    }

    /// Writes the group to an archive, so that work that an earlier launch began can go on under its name.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: operationGroupID), forKey: "OperationGroupID")
        if let name { coder.encode(NSString(string: name), forKey: "Name") }
        coder.encode(Int64(quantity), forKey: "Quantity")
        coder.encode(configuration, forKey: "DefaultConfiguration")
        coder.encode(Int64(expectedSendSize.rawValue), forKey: "ExpectedSendSize")
        coder.encode(Int64(expectedReceiveSize.rawValue), forKey: "ExpectedReceiveSize")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }
}

extension CKOperationGroup.TransferSize {
    fileprivate init(coder: NSCoder, key: String) {
        self = coder.safeInteger(forKey: key).flatMap(Self.init(rawValue:)) ?? .unknown
    }
}
