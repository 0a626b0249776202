import CoreData
import Testing

/// A container for mirrored stores opens them, and says that they are not mirrored.
@Suite struct CloudKitContainerTests {
    @Test func loadsAndReports() throws {
        let container = NSPersistentCloudKitContainer(name: "Mirrored", managedObjectModel: People.model())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example")
        options.databaseScope = .public
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        nonisolated(unsafe) var event: NSPersistentCloudKitContainer.Event?
        let observer = NotificationCenter.default.addObserver(
            forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
        ) { notification in
            let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
            event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        var errors: [any Error] = []
        container.loadPersistentStores { _, error in if let error { errors.append(error) } }
        #expect(errors.isEmpty && container.persistentStoreCoordinator.persistentStores.count == 1)
        let told = try #require(event)
        #expect(told.type == .setup && !told.succeeded && told.endDate != nil)
        #expect(told.error?.localizedDescription.contains("0.4") == true)
        #expect(
            told.storeIdentifier == container.persistentStoreCoordinator.persistentStores.first?.identifier)
        #expect((description.copy() as? NSPersistentStoreDescription)?.cloudKitContainerOptions === options)

        let context = container.viewContext
        try context.performAndWait {
            let person = Person(context: context)
            try context.save()
            #expect(container.canUpdateRecord(forManagedObjectWith: person.objectID))
            #expect(container.canDeleteRecord(forManagedObjectWith: person.objectID))
            let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
            #expect((result?.result as? [NSPersistentCloudKitContainer.Event])?.isEmpty == true)
            request.resultType = .countEvents
            let count = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
            #expect((count?.result as? NSNumber)?.intValue == 0)
        }
        #expect { try container.initializeCloudKitSchema(options: [.dryRun, .printSchema]) } throws: {
            ($0 as NSError).code == NSCoreDataError && $0.localizedDescription.contains("iCloud.com.example")
        }
    }

    @Test func generalCodeMakesEither() {
        func container<C: NSPersistentContainer>(_ type: C.Type) -> C {
            C(name: "Any", managedObjectModel: People.model())
        }
        #expect(container(NSPersistentCloudKitContainer.self).name == "Any")
        let useCloud = ProcessInfo.processInfo.processorCount > 0
        let type = useCloud ? NSPersistentCloudKitContainer.self : NSPersistentContainer.self
        #expect(type.init(name: "Any", managedObjectModel: People.model()) is NSPersistentCloudKitContainer)
    }
}
