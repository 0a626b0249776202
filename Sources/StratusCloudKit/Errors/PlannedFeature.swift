/// A part of CloudKit whose types are here, but which the service does not serve yet.
///
/// This is the only place that says which version of the server will serve it: warnings and the conformance table
/// of the documentation are made from it.
enum PlannedFeature: String, CaseIterable, Sendable {
    /// Syncing that a sync engine begins by itself, and that notifications begin.
    case automaticSync = "automatic syncing"
    /// Operations that outlive the process.
    case longLivedOperations = "long-lived operations"
    /// Stores of Core Data that are kept the same as a database.
    case mirroring = "mirroring of Core Data stores"

    /// The first version of the server that serves the feature.
    var serverVersion: String {
        switch self {
        case .automaticSync: "0.4"
        case .longLivedOperations, .mirroring: "0.5"
        }
    }
}
