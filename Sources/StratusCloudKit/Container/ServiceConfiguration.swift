public import Foundation
internal import RecordModel

extension CKContainer {
    /// Where a container's record service is, and how to speak to it.
    public struct ServiceConfiguration: Sendable {
        /// One of a container's two separate worlds.
        public enum Environment: String, Sendable {
            /// Types, fields and indexes are created when they are first used.
            case development
            /// Only the schema that was deployed is accepted.
            case production
        }

        /// The address of the service.
        public var url: URL?
        /// The world that is meant.
        public var environment: Environment
        /// The token of the app.
        public var apiToken: String?
        /// The token of the user; nil where nobody is signed in.
        public var webAuthToken: String?
        /// Whether predicates that Apple's service refuses (OR, CONTAINS on strings, LIKE, …) are refused
        /// here as well, for apps that run against both.
        public var refusesWhatAppleRefuses: Bool

        /// Creates a configuration.
        public init(
            url: URL? = nil, environment: Environment = .development, apiToken: String? = nil,
            webAuthToken: String? = nil, refusesWhatAppleRefuses: Bool = false
        ) {
            self.url = url
            self.environment = environment
            self.apiToken = apiToken
            self.webAuthToken = webAuthToken
            self.refusesWhatAppleRefuses = refusesWhatAppleRefuses
        }
    }
}

extension CKContainer.ServiceConfiguration.Environment {
    var model: CloudEnvironment { self == .development ? .development : .production }
}
