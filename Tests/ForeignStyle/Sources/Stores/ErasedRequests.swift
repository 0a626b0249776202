import CoreData

/// One function for requests of all entities; where a cast was, the request is made again, which Linux needs.
func deleteAll<T: NSManagedObject>(_ request: NSFetchRequest<T>, in context: NSManagedObjectContext) throws
    -> Int
{
    let erased: NSFetchRequest<NSFetchRequestResult> = NSFetchRequest<NSFetchRequestResult>(request)
    let batch = NSBatchDeleteRequest(fetchRequest: erased)
    batch.resultType = .resultTypeCount
    let result = try context.execute(batch) as? NSBatchDeleteResult
    return result?.result as? Int ?? 0
}
