import CloudKit

/// A configuration that is shared and changed through a constant: it is a class.
enum ConfiguredSave {
    static func operation(saving records: [CKRecord]) -> CKModifyRecordsOperation {
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .utility
        configuration.timeoutIntervalForRequest = 20
        configuration.timeoutIntervalForResource = 60
        configuration.allowsCellularAccess = true
        configuration.isLongLived = false
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.configuration = configuration
        operation.savePolicy = .changedKeys
        operation.isAtomic = true
        operation.queuePriority = .high
        return operation
    }

    static func group(named name: String) -> CKOperationGroup {
        let group = CKOperationGroup()
        group.name = name
        group.quantity = 3
        group.expectedSendSize = .kilobytes
        group.defaultConfiguration.qualityOfService = .background
        return group
    }
}
