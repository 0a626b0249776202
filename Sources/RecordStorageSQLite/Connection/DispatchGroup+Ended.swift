import Dispatch

extension DispatchGroup {
    /// Returns when all members have left, even in a task that is cancelled: a thread has to be waited for all the same.
    func ended() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}
