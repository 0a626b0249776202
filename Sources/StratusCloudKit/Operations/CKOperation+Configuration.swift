public import Foundation

extension CKOperation {
    /// How an operation's requests are made.
    public struct Configuration: Sendable {
        /// The container; nil stands for the default one.
        public var container: CKContainer?
        /// How much the user waits for the operation.
        public var qualityOfService: QualityOfService = .default
        /// Whether an expensive network may be used.
        public var allowsCellularAccess = true
        /// Whether the operation should outlive the app; kept, but without effect here.
        public var isLongLived = false
        /// The longest wait for bytes of one answer, in seconds.
        public var timeoutIntervalForRequest: TimeInterval = 60
        /// The longest time for each request of the operation with all its repetitions, in seconds.
        public var timeoutIntervalForResource: TimeInterval = 7 * 24 * 3600

        /// Makes the configuration that operations begin with.
        public init() {}
    }
}

extension ServiceClient.Options {
    init(_ configuration: CKOperation.Configuration) {
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        allowsCellularAccess = configuration.allowsCellularAccess
    }
}
