import Foundation

/// Lets the threads that serve clients go before the calling one, for as long as it lives.
///
/// For threads that keep a core busy for seconds. On two cores two of them would otherwise make every short request
/// wait for their time slices at each of its steps: an event loop, the executor, the writing thread. Only Linux knows
/// priorities of single threads in this way; where it refuses, or elsewhere, nothing changes.
public func lowerPriorityOfThisThread() {
    #if os(Linux)
    // Linux takes the caller's thread for 0, not the process.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
}
