public import RecordModel

/// The addresses of the service (Documentation/Protocol.md, 'Endpoints').
public enum Endpoint: String, Hashable, Sendable, CaseIterable {
    case recordsQuery = "records/query"
    case recordsCount = "records/count"
    case recordsModify = "records/modify"
    case recordsLookup = "records/lookup"
    case recordsVersions = "records/versions"
    case recordsChanges = "records/changes"
    case recordsResolve = "records/resolve"
    case recordsAccept = "records/accept"
    case recordsRequestAccess = "records/requestAccess"
    case zonesList = "zones/list"
    case zonesLookup = "zones/lookup"
    case zonesModify = "zones/modify"
    case zonesChanges = "zones/changes"
    case changesDatabase = "changes/database"
    case changesZone = "changes/zone"
    case assetsUpload = "assets/upload"
    case assetsRereference = "assets/rereference"
    case usersCaller = "users/caller"
    case usersCurrent = "users/current"
    case usersDiscover = "users/discover"
    case usersLookupEmail = "users/lookup/email"
    case usersLookupID = "users/lookup/id"
    case storageUsage = "storage/usage"
    case subscriptionsList = "subscriptions/list"
    case subscriptionsLookup = "subscriptions/lookup"
    case subscriptionsModify = "subscriptions/modify"
    case tokensCreate = "tokens/create"
    case tokensRegister = "tokens/register"
    case tokensUnregister = "tokens/unregister"
    case recordsLive = "records/live"
    case recordsLiveCount = "records/live/count"

    /// The path of the endpoint in a database; those of tokens belong to none.
    public func path(container: String, environment: CloudEnvironment, scope: DatabaseScope) -> String {
        if isOfDevices { return "/device/1/\(container)/\(environment.rawValue)/\(rawValue)" }
        return pathInDatabase(container: container, environment: environment, scope: scope)
    }

    /// Whether the endpoint is a device's, and so belongs to no database.
    public var isOfDevices: Bool {
        self == .tokensCreate || self == .tokensRegister || self == .tokensUnregister
    }

    private func pathInDatabase(
        container: String, environment: CloudEnvironment, scope: DatabaseScope
    ) -> String {
        "/database/1/\(container)/\(environment.rawValue)/\(scope.rawValue)/\(rawValue)"
    }
}
