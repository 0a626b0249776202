import NIOCore
import NIOPosix

/// Runs the tasks of requests on the threads that their sockets are read on.
///
/// Without it every request moves to another thread and back, and waking a thread costs more than most
/// requests do. A job that is ready on an event loop's thread stays there; one that comes from elsewhere, from
/// the writing thread for example, goes to the next loop. Work that takes long has threads of its own
/// (``RecordStorage/ReadEffort/long``).
final class EventLoopExecutor: TaskExecutor {
    private let group: MultiThreadedEventLoopGroup

    init(group: MultiThreadedEventLoopGroup) { self.group = group }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? group.next()
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
