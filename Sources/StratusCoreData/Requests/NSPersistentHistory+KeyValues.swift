// What requests on the history compare: the properties of transactions and changes by name.

extension NSPersistentHistoryTransaction: KeyValueReadable {
    /// A value by the name of the property.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "timestamp": timestamp
        case "transactionNumber": NSNumber(value: transactionNumber)
        case "storeID": storeID
        case "bundleID": bundleID
        case "processID": processID
        case "contextName": contextName
        case "author": author
        case "changes": changes
        case "token": token
        default: nil
        }
    }
}

extension NSPersistentHistoryChange: KeyValueReadable {
    /// A value by the name of the property.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": NSNumber(value: changeID)
        case "changedObjectID": changedObjectID
        case "changedEntity": changedObjectID.entityName
        case "changeType": NSNumber(value: changeType.rawValue)
        case "updatedProperties": updatedProperties.map { Array($0) }
        case "tombstone": tombstone
        case "transaction": transaction
        default: nil
        }
    }
}

/// An entity for requests on the history.
func historyEntity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { name, type in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }
    return entity
}
