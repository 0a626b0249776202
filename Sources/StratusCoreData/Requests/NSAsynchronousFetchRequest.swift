/// A result that may come later.
///
/// Unchecked sendable: it is filled in on the context's queue, where the completion block reads it, too.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that fetches.
    open internal(set) var managedObjectContext: NSManagedObjectContext
    /// What went wrong.
    open internal(set) var operationError: (any Error)?
    /// How far the work is.
    open internal(set) var progress: Progress? = Progress(totalUnitCount: 1)

    init(context: NSManagedObjectContext) { managedObjectContext = context }

    /// Asks for the end of the work; what has begun is ended all the same.
    open func cancel() { progress?.cancel() }
}

/// A fetch whose results come later, on the context's queue.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// What is fetched.
    open internal(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Called with the result, on the context's queue.
    open internal(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results are expected, for a picture of the progress.
    open var estimatedResultCount = 0

    /// Makes a request whose results the block is given.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock block: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    ) {
        fetchRequest = request
        completionBlock = block
    }
}

/// The results of a fetch that come later.
///
/// Unchecked sendable as in ``NSPersistentStoreAsynchronousResult``.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable {
    /// The request.
    open internal(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The results, once they are there.
    open internal(set) var finalResult: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext) {
        fetchRequest = request
        super.init(context: context)
    }
}

/// A request that a context knows how to run later.
protocol AsynchronousRequest {
    func start(in context: NSManagedObjectContext) -> NSPersistentStoreResult
}

extension NSAsynchronousFetchRequest: AsynchronousRequest {
    func start(in context: NSManagedObjectContext) -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(self, context: context)
        // Used on the context's queue only, from here on.
        nonisolated(unsafe) let request = self
        context.perform {
            if result.progress?.isCancelled == true {
                result.operationError = CocoaError(.userCancelled)
            } else {
                do { result.finalResult = try context.fetch(request.fetchRequest) } catch {
                    result.operationError = error
                }
            }
            result.progress?.completedUnitCount = 1
            request.completionBlock?(result)
        }
        return result
    }
}

extension NSManagedObjectContext {
    /// Executes a request of any kind.
    func run(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        ConcurrencyCheck.check(self)
        if let asynchronous = request as? any AsynchronousRequest { return asynchronous.start(in: self) }
        if let fetch = request as? AnyFetchRequest { return FetchResult(try results(of: fetch)) }
        guard let coordinator = coordinatorOfChain else { throw CoreDataError.noCoordinator.cocoa }
        return try CurrentContext.run(self) { try coordinator.executeOnStores(request, self) }
    }
}

/// The results of a fetch that was executed as a request.
final class FetchResult: NSPersistentStoreResult {
    let results: [Any]

    init(_ results: [Any]) { self.results = results }
}
