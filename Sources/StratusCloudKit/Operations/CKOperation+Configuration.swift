public import Foundation
internal import Synchronization

extension CKOperation {
    /// How an operation's requests are made.
    public typealias Configuration = CKOperationConfiguration
}

/// How an operation's requests are made. Write it as `CKOperation.Configuration`.
///
/// A property that was set wins over the same property of the group's configuration, and that one over the
/// default, also where the value that was set is the default
/// (https://developer.apple.com/documentation/cloudkit/ckoperation/configuration-swift.class).
///
/// Sendable is unchecked because the class is open: everything that changes is behind one mutex.
open class CKOperationConfiguration: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// What was set; nil for what was not.
    struct Settings: Sendable {
        var container: CKContainer?
        var qualityOfService: QualityOfService?
        var allowsCellularAccess: Bool?
        var isLongLived: Bool?
        var timeoutIntervalForRequest: TimeInterval?
        var timeoutIntervalForResource: TimeInterval?
    }

    private let state: Mutex<Settings>

    /// Makes a configuration with the defaults.
    override public convenience init() { self.init(Settings()) }

    init(_ settings: Settings) { state = Mutex(settings) }

    /// What was set.
    var settings: Settings { state.withLock { $0 } }

    /// The container; nil stands for the default one.
    open var container: CKContainer? {
        get { settings.container }
        set { state.withLock { $0.container = newValue } }
    }

    /// How much the user waits for the operation; `default` unless it was set.
    open var qualityOfService: QualityOfService {
        get { settings.qualityOfService ?? .default }
        set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether an expensive network may be used; true unless it was set.
    open var allowsCellularAccess: Bool {
        get { settings.allowsCellularAccess ?? true }
        set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether the operation should outlive the app; kept, but without effect here, which is said once in the log.
    open var isLongLived: Bool {
        get { settings.isLongLived ?? false }
        set { state.withLock { $0.isLongLived = newValue } }
    }

    /// The longest wait for bytes of one answer, in seconds; 60 unless it was set.
    open var timeoutIntervalForRequest: TimeInterval {
        get { settings.timeoutIntervalForRequest ?? ServiceClient.Options().requestTimeout }
        set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// The longest time for each request of the operation with all its repetitions, in seconds; seven days unless
    /// it was set.
    open var timeoutIntervalForResource: TimeInterval {
        get { settings.timeoutIntervalForResource ?? ServiceClient.Options().resourceTimeout }
        set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// A configuration of its own with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any { CKOperationConfiguration(settings) }

    /// Reads a configuration from an archive; what is not there was not set.
    public required init?(coder: NSCoder) {
        var settings = Settings()
        settings.container = coder.safeText(forKey: "Container").map { CKContainer(identifier: $0) }
        settings.qualityOfService = coder.safeInteger(forKey: "QualityOfService")
            .flatMap { QualityOfService(rawValue: $0) }
        settings.allowsCellularAccess = coder.safeInteger(forKey: "AllowsCellularAccess").map { $0 != 0 }
        settings.isLongLived = coder.safeInteger(forKey: "IsLongLived").map { $0 != 0 }
        settings.timeoutIntervalForRequest = coder.safeDouble(forKey: "TimeoutForRequest")
        settings.timeoutIntervalForResource = coder.safeDouble(forKey: "TimeoutForResource")
        state = Mutex(settings)
    }

    /// Writes what was set to an archive, of the container its identifier.
    open func encode(with coder: NSCoder) {
        let settings = settings
        if let name = settings.container?.containerIdentifier {
            coder.encode(NSString(string: name), forKey: "Container")
        }
        if let quality = settings.qualityOfService {
            coder.encode(Int64(quality.rawValue), forKey: "QualityOfService")
        }
        if let allows = settings.allowsCellularAccess {
            coder.encode(Int64(allows ? 1 : 0), forKey: "AllowsCellularAccess")
        }
        if let isLongLived = settings.isLongLived {
            coder.encode(Int64(isLongLived ? 1 : 0), forKey: "IsLongLived")
        }
        if let seconds = settings.timeoutIntervalForRequest {
            coder.encode(seconds, forKey: "TimeoutForRequest")
        }
        if let seconds = settings.timeoutIntervalForResource {
            coder.encode(seconds, forKey: "TimeoutForResource")
        }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }
}

extension CKOperationConfiguration.Settings {
    /// These settings, and where they say nothing those of `other`.
    func filled(from other: Self?) -> Self {
        guard let other else { return self }
        var result = self
        result.container = container ?? other.container
        result.qualityOfService = qualityOfService ?? other.qualityOfService
        result.allowsCellularAccess = allowsCellularAccess ?? other.allowsCellularAccess
        result.isLongLived = isLongLived ?? other.isLongLived
        result.timeoutIntervalForRequest = timeoutIntervalForRequest ?? other.timeoutIntervalForRequest
        result.timeoutIntervalForResource = timeoutIntervalForResource ?? other.timeoutIntervalForResource
        return result
    }
}

extension ServiceClient.Options {
    /// What the settings say, and where they say nothing what `base` says.
    init(_ settings: CKOperation.Configuration.Settings, over base: ServiceClient.Options) {
        requestTimeout = settings.timeoutIntervalForRequest ?? base.requestTimeout
        resourceTimeout = settings.timeoutIntervalForResource ?? base.resourceTimeout
        allowsCellularAccess = settings.allowsCellularAccess ?? base.allowsCellularAccess
    }
}
