import CloudKit
import Foundation
import PhotoScaling

// The Discover tab of a restaurant guide, as an iOS developer writes it. Live tests call it with a database of
// a running service; here it only has to compile.

/// Saves a restaurant.
func saveRestaurant(
    name: String, type: String, location: String, place: CLLocation? = nil, in database: CKDatabase,
    completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
) {
    let record = CKRecord(recordType: "Restaurant")
    record.setValue(name, forKey: "name")
    record.setValue(type, forKey: "type")
    record.setValue(location, forKey: "location")
    record["place"] = place
    database.save(record, completionHandler: completion)
}

/// Saves a restaurant with its photo, scaled to at most 1024 pixels' width and written as JPEG to a temporary file, which
/// is removed when the save is over.
func saveRestaurant(
    name: String, type: String, location: String, photo file: URL, in database: CKDatabase,
    completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
) {
    let record = CKRecord(recordType: "Restaurant")
    record.setValue(name, forKey: "name")
    record.setValue(type, forKey: "type")
    record.setValue(location, forKey: "location")
    do {
        let photo = try PhotoScaler(maximumWidth: 1024, quality: 0.8).writeJPEG(from: file)
        record.setValue(CKAsset(fileURL: photo.url), forKey: "image")
        database.save(record) { record, error in
            photo.remove()
            completion(record, error)
        }
    } catch {
        completion(nil, error)
    }
}

/// Fetches the photo of one restaurant, as its cell comes on screen.
func fetchImage(
    of recordID: CKRecord.ID, from database: CKDatabase, progress: @escaping (Double) -> Void = { _ in },
    completion: @escaping (Data?, (any Error)?) -> Void
) {
    let fetchRecordsImageOperation = CKFetchRecordsOperation(recordIDs: [recordID])
    fetchRecordsImageOperation.desiredKeys = ["image"]
    fetchRecordsImageOperation.queuePriority = .veryHigh
    fetchRecordsImageOperation.perRecordProgressBlock = { _, fraction in progress(fraction) }
    fetchRecordsImageOperation.perRecordCompletionBlock = { record, _, error in
        if let error = error {
            completion(nil, error)
            return
        }
        if let image = record?.object(forKey: "image") as? CKAsset, let url = image.fileURL {
            completion(try? Data(contentsOf: url), nil)
        } else {
            completion(nil, nil)
        }
    }
    database.add(fetchRecordsImageOperation)
}

/// Fetches all restaurants with the convenience API.
func fetchRestaurants(
    from database: CKDatabase, completion: @escaping @Sendable ([CKRecord], (any Error)?) -> Void
) {
    let predicate = NSPredicate(value: true)
    let query = CKQuery(recordType: "Restaurant", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
    database.perform(query, inZoneWith: nil) { results, error in
        if let error = error {
            completion([], error)
            return
        }
        completion(results ?? [], nil)
    }
}

/// Fetches the restaurants' names with the operation API; pictures come later, one by one.
func fetchRestaurantNames(
    from database: CKDatabase, limit: Int = 50,
    completion: @escaping (_ restaurants: [CKRecord], CKQueryOperation.Cursor?, (any Error)?) -> Void
) {
    let predicate = NSPredicate(value: true)
    let query = CKQuery(recordType: "Restaurant", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]

    let queryOperation = CKQueryOperation(query: query)
    queryOperation.desiredKeys = ["name"]
    queryOperation.queuePriority = .veryHigh
    queryOperation.resultsLimit = limit
    var restaurants: [CKRecord] = []
    queryOperation.recordFetchedBlock = { (record: CKRecord) -> Void in
        // Pull to refresh must not show a restaurant twice.
        if !restaurants.contains(where: { $0.recordID == record.recordID }) { restaurants.append(record) }
    }
    queryOperation.queryCompletionBlock = { (cursor, error) -> Void in
        completion(restaurants, cursor, error)
    }
    database.add(queryOperation)
}

/// Fetches one field of one restaurant, as its cell comes on screen.
func fetchField(
    _ key: String, of recordID: CKRecord.ID, from database: CKDatabase,
    completion: @escaping ((any CKRecordValue)?, (any Error)?) -> Void
) {
    let operation = CKFetchRecordsOperation(recordIDs: [recordID])
    operation.desiredKeys = [key]
    operation.queuePriority = .veryHigh
    var value: (any CKRecordValue)?
    operation.perRecordCompletionBlock = { record, _, error in
        value = record?.object(forKey: key)
    }
    operation.fetchRecordsCompletionBlock = { _, error in
        completion(value, error)
    }
    database.add(operation)
}

/// The restaurants within a distance, the nearest first, as an async function.
func restaurants(near place: CLLocation, metres: Double, in database: CKDatabase) async throws -> [CKRecord] {
    let predicate = NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < %f", place, metres)
    let query = CKQuery(recordType: "Restaurant", predicate: predicate)
    query.sortDescriptors = [CKLocationSortDescriptor(key: "place", relativeLocation: place)]
    var found: [CKRecord] = []
    for try await restaurant in database.recordSequence(matching: query) { found.append(restaurant) }
    return found
}
