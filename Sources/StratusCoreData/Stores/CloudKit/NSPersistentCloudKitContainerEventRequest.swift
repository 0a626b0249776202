import Synchronization

/// The events of a container.
final class EventList: Sendable {
    private let events = Mutex<[NSPersistentCloudKitContainer.Event]>([])

    func append(_ event: NSPersistentCloudKitContainer.Event) { events.withLock { $0.append(event) } }

    var all: [NSPersistentCloudKitContainer.Event] { events.withLock { $0 } }
}

/// Asks for the events of a mirroring.
///
/// A store that is not mirrored has none, so the answer is empty in this version; what
/// ``NSPersistentCloudKitContainer/eventChangedNotification`` told of is not kept.
open class NSPersistentCloudKitContainerEventRequest: NSPersistentStoreRequest {
    /// What is answered.
    open var resultType = NSPersistentCloudKitContainerEventResult.ResultType.events

    /// Makes a request for all events.
    public override init() { super.init() }

    /// What ``EventRequestMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_event_request_init")
    convenience init(_made unused: Void) { self.init() }

    /// A request for events, to which a predicate can be given.
    open class func fetchForEvents() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: "NSCKEvent")
    }

    /// The events since another one; nil asks for all.
    open class func fetchEvents(after event: NSPersistentCloudKitContainer.Event?) -> Self { make() }

    /// The events since a point in time.
    open class func fetchEvents(after date: Date) -> Self { make() }

    /// The events that a request finds.
    open class func fetchEvents(matchingFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self
    {
        make()
    }

    @_silgen_name("stratus_event_request_init")
    static func make() -> Self
}

/// The events of a mirroring.
open class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult {
    /// What a request for events answers.
    public enum ResultType: Int, Sendable {
        /// The events.
        case events = 0
        /// Their number.
        case countEvents = 1
    }

    /// An array of events, or a number, by ``resultType``.
    open internal(set) var result: Any?
    /// What was asked for.
    open internal(set) var resultType = ResultType.events

    /// Makes an answer that says nothing.
    public override init() { super.init() }

    /// The answer where there are no events.
    static func none(_ type: ResultType) -> NSPersistentCloudKitContainerEventResult {
        let result = NSPersistentCloudKitContainerEventResult()
        result.resultType = type
        switch type {
        case .events: result.result = [NSPersistentCloudKitContainer.Event]()
        case .countEvents: result.result = NSNumber(value: 0)
        }
        return result
    }
}
