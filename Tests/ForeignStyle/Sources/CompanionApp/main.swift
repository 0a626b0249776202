import Combine
import CoreData
import os

// Each line that is printed is expected by scripts/tests/foreign.py.
func model() -> NSManagedObjectModel {
    let name = NSAttributeDescription()
    (name.name, name.attributeType, name.isOptional) = ("name", .stringAttributeType, true)
    let customer = NSEntityDescription()
    (customer.name, customer.properties) = ("Customer", [name])
    let model = NSManagedObjectModel()
    model.entities = [customer]
    return model
}

func runShop() throws {
    let shop = Shop()
    print("record", shop.customerRecord("Ada")["name"] as? String ?? "none")
    print("sum", shop.add(2) + shop.add(3))
    print("counted", Legacy.count(to: 1_000))

    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = coordinator
    var changes = 0
    var saved: [Int] = []
    shop.watchSaves(context) { saved.append($0) }
    try autoreleasepool {
        let ada = NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context)
        shop.watch(ada) { changes += 1 }
        ada.setValue("Ada", forKey: "name")
        try context.save()
        context.refresh(ada, mergeChanges: false)
    }
    print("changes", changes, "saved", saved)

    var ticks = 0
    let timer = Timer.publish(every: 0.01, on: .main, in: .common).autoconnect().prefix(3)
        .receive(on: RunLoop.main).sink { _ in ticks += 1 }
    var visits: [Int] = []
    let counting = shop.$visits.removeDuplicates().debounce(
        for: .milliseconds(5), scheduler: DispatchQueue.main
    )
    .sink { visits.append($0) }
    var willChange = 0
    let watching = shop.objectWillChange.sink { willChange += 1 }
    for visit in 1...3 { shop.visits = visit }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.3))
    print("ticks", ticks, "visits", visits.last ?? 0, "will change", willChange)
    withExtendedLifetime((timer, counting, watching)) {}
}

do { try runShop() } catch {
    print("failed", error)
    exit(1)
}
