import CloudKit

/// A configuration for a few calls.
func readQuickly(_ recordID: CKRecord.ID, from container: CKContainer) async throws -> CKRecord {
    let configuration = CKOperation.Configuration()
    configuration.qualityOfService = .userInteractive
    let group = CKOperationGroup()
    group.name = "quick"
    return try await container.privateCloudDatabase.configuredWith(configuration: configuration, group: group)
    { database in
        try await database.record(for: recordID)
    }
}

func status(of container: CKContainer) async throws -> CKAccountStatus {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 5
    return try await container.configuredWith(configuration: configuration) { try await $0.accountStatus() }
}
