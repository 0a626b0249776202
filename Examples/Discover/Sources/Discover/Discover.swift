import CloudKit
import Foundation

// The Discover tab: what everybody's restaurants are called, and then what they look like.

/// Fetches the newest restaurants, without their photos.
func fetchRestaurants(
    from database: CKDatabase, limit: Int, completion: @escaping ([CKRecord], (any Error)?) -> Void
) {
    let predicate = NSPredicate(value: true)
    let query = CKQuery(recordType: "Restaurant", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]

    let queryOperation = CKQueryOperation(query: query)
    queryOperation.desiredKeys = ["name", "type", "location"]
    queryOperation.queuePriority = .veryHigh
    queryOperation.resultsLimit = limit

    var restaurants: [CKRecord] = []
    queryOperation.recordFetchedBlock = { record in
        restaurants.append(record)
    }
    queryOperation.queryCompletionBlock = { _, error in
        completion(restaurants, error)
    }
    database.add(queryOperation)
}

/// Fetches the photo of one restaurant, as its cell comes on screen.
///
/// The photo's file is there for as long as somebody holds the asset.
func fetchImage(
    of restaurant: CKRecord, from database: CKDatabase, progress: @escaping (Double) -> Void,
    completion: @escaping (CKAsset?, (any Error)?) -> Void
) {
    let fetchImageOperation = CKFetchRecordsOperation(recordIDs: [restaurant.recordID])
    fetchImageOperation.desiredKeys = ["image"]
    fetchImageOperation.queuePriority = .veryHigh
    fetchImageOperation.perRecordProgressBlock = { _, fraction in
        progress(fraction)
    }
    fetchImageOperation.perRecordCompletionBlock = { record, _, error in
        completion(record?.object(forKey: "image") as? CKAsset, error)
    }
    database.add(fetchImageOperation)
}
