public import RecordModel

/// The addresses of the service (Documentation/Protocol.md, 'Endpoints').
public enum Endpoint: String, Hashable, Sendable, CaseIterable {
    case recordsQuery = "records/query"
    case recordsCount = "records/count"
    case recordsModify = "records/modify"
    case recordsLookup = "records/lookup"
    case recordsChanges = "records/changes"
    case zonesList = "zones/list"
    case zonesLookup = "zones/lookup"
    case zonesModify = "zones/modify"
    case zonesChanges = "zones/changes"
    case changesDatabase = "changes/database"
    case changesZone = "changes/zone"
    case assetsUpload = "assets/upload"
    case assetsRereference = "assets/rereference"
    case usersCaller = "users/caller"

    /// The path of the endpoint in a database.
    public func path(container: String, environment: CloudEnvironment, scope: DatabaseScope) -> String {
        "/database/1/\(container)/\(environment.rawValue)/\(scope.rawValue)/\(rawValue)"
    }
}
