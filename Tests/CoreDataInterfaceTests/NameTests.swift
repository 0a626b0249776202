import CoreData
import Testing

/// Names that code for Apple's platforms says.
@Suite struct NameTests {
    // As types, in a file that imports CoreData alone.
    private func column(_ expression: NSExpression, _ comparison: NSComparisonPredicate?) -> String {
        "\(expression.keyPath) \(comparison?.predicateFormat ?? "")"
    }

    @Test func expressionsAreTypes() {
        let predicate: NSComparisonPredicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "name"),
            rightExpression: NSExpression(forConstantValue: "Ada"),
            modifier: .direct, type: .equalTo)
        #expect(column(predicate.leftExpression, predicate) == "name name == \"Ada\"")
    }

    @Test func keyPathsHaveNames() throws {
        // Entities are known while somebody has their model.
        try withExtendedLifetime(People.coordinator()) {
            #expect((\Person.name as AnyKeyPath)._kvcKeyPathString == "name")
            #expect((\Person.friends)._kvcKeyPathString == "friends")
            #expect((\String.count)._kvcKeyPathString == nil)
            #expect(NSExpression(forKeyPath: \Person.name).keyPath == "name")
        }
    }

    @Test func requestsChangeTheirResultType() throws {
        let context = try People.context()
        try context.performAndWait {
            Person(context: context).name = "Ada"
            try context.save()
            let typed = NSFetchRequest<Person>(entityName: "Person")
            typed.predicate = NSPredicate(format: "name == %@", "Ada")
            let any = NSFetchRequest<any NSFetchRequestResult>(typed)
            #expect(any.predicate == typed.predicate && any.entityName == "Person")
            #expect((try context.fetch(any) as? [Person])?.count == 1)
            let result =
                try context.execute(NSBatchDeleteRequest(fetchRequest: typed)) as? NSBatchDeleteResult
            #expect(result?.result as? Bool == true)
        }
    }

    @Test func fetchExpressions() throws {
        let context = try People.context()
        try context.performAndWait {
            for name in ["Ada", "Grace"] { Person(context: context).name = name }
            try context.save()
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
            let expression = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request),
                context: NSExpression(forConstantValue: context),
                countOnly: true)
            #expect(expression.expressionType == NSFetchRequestExpressionType)
            #expect(NSFetchRequestExpressionType.rawValue == 50)
            #expect((expression as? NSFetchRequestExpression)?.isCountOnlyRequest == true)
            #expect((expression.expressionValue(with: nil, context: nil) as? NSNumber)?.intValue == 2)
            let objects = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request),
                context: NSExpression(forConstantValue: context),
                countOnly: false)
            #expect((objects.expressionValue(with: nil, context: nil) as? [Person])?.count == 2)
        }
    }

    @Test func valuesAreValidatedInPlace() throws {
        final class Polite: NSManagedObject {
            override func validateValue(
                _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
            ) throws {
                try super.validateValue(value, forKey: key)
                if let text = value.pointee as? NSString, text.length == 0 {
                    throw CocoaError(.validationStringTooShort)
                }
                value.pointee = NSString(string: "\(value.pointee as? NSString ?? "") Esq.")
            }
        }
        let model = People.model()
        let person = try #require(model.entitiesByName["Person"])
        person.setManagedObjectClass(Polite.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let polite = Polite(entity: person, insertInto: nil)
        var value: AnyObject? = NSString(string: "Ada")
        try polite.validateValue(&value, forKey: "name")
        #expect(value as? NSString == "Ada Esq.")
        var any: Any? = "Grace"
        try polite.validateValue(&any, forKey: "name")
        #expect(any.map { "\($0)" } == "Grace Esq.")
        var empty: AnyObject? = NSString(string: "")
        #expect { try polite.validateValue(&empty, forKey: "name") } throws: {
            ($0 as NSError).code == NSValidationStringTooShortError
        }
        withExtendedLifetime(coordinator) {}
    }

    @Test func setMutations() throws {
        let context = try People.context()
        try context.performAndWait {
            let ada = Person(context: context)
            ada.name = "Ada"
            let grace = Person(context: context)
            grace.name = "Grace"
            try context.save()
            ada.willChangeValue(forKey: "friends", withSetMutation: .union, using: [grace])
            ada.setPrimitiveValue(NSSet(object: grace), forKey: "friends")
            ada.didChangeValue(forKey: "friends", withSetMutation: .union, using: [grace])
            #expect(ada.hasChanges && ada.friends == [grace])
            #expect(NSKeyValueSetMutationKind.set.rawValue == 4)
        }
    }

    @Test func emptyValuesCanBeMade() {
        #expect(NSConstraintConflict().constraint.isEmpty)
        let id = NSManagedObjectID()
        #expect(id.isTemporaryID && id != NSManagedObjectID() && id.copy() as? NSManagedObjectID == id)
        #expect(NSManagedObject().entity.name == "NSManagedObject")
    }

    @Test func conflictsCanBeMade() throws {
        let context = try People.context()
        try context.performAndWait {
            let ada = Person(context: context)
            ada.name = "Ada"
            try context.save()
            ada.name = "Grace"
            let conflict = NSMergeConflict(
                source: ada, newVersion: 7, oldVersion: 1, cachedSnapshot: nil,
                persistedSnapshot: ["name": "Edsger"])
            #expect(
                conflict.persistedSnapshot?["name"] as? String == "Edsger" && conflict.newVersionNumber == 7)
            try NSMergePolicy.mergeByPropertyStoreTrump.resolve(optimisticLockingConflicts: [conflict])
            #expect(ada.name == "Edsger")
            let duplicate = NSConstraintConflict(
                constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: [ada],
                conflictingSnapshots: [["name": "Edsger"]])
            #expect(duplicate.constraintValues["name"] as? String == "Edsger")
        }
    }

    @Test func historyNames() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID().uuidString)")
        defer {
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) }
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: People.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = "import"
        try context.performAndWait {
            Person(context: context).name = "Ada"
            try context.save()
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSPersistentHistoryToken.self, from: data)
            #expect(read == token)
            #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: token).token == token)
            let entity = try #require(NSPersistentHistoryTransaction.entityDescription(with: context))
            #expect(entity.attributesByName["author"] != nil && entity.attributesByName["timestamp"] != nil)
            #expect(
                NSPersistentHistoryChange.entityDescription(with: context)?.attributesByName["changeType"]
                    != nil)
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = entity
            request.predicate = NSPredicate(format: "author == %@", "import")
            let history = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request)
            let result = try context.execute(history) as? NSPersistentHistoryResult
            #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
        }
        let folder: URL = NSPersistentContainer.defaultDirectoryURL()
        #expect(folder == NSPersistentContainer.defaultDirectoryURL)
        #expect(
            try NSPersistentStore.metadataForPersistentStore(with: url)[NSStoreTypeKey] as? String
                == NSSQLiteStoreType)
    }

    @Test func constants() {
        #expect(NSMigrationSourceObjectKey == "source" && NSMigrationEntityPolicyKey == "entityPolicy")
        #expect(NSCoreDataVersionNumber > NSCoreDataVersionNumber_iPhoneOS_9_3)
        #expect(NSCoreDataVersionNumber10_4 == 46 && NSCoreDataVersionNumber10_10_3 == 526.2)
        #expect(NSRefreshedObjectIDsKey == NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue)
        let block: NSPersistentStoreAsynchronousFetchResultCompletionBlock = { _ = $0.finalResult }
        _ = block
    }
}
