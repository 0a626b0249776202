internal import CCurl
internal import Foundation
internal import Synchronization

/// The thread on which all transfers move. It sleeps until a socket is ready, a time limit passes or somebody calls.
///
/// Sendable is unchecked: `transfers` is touched by that thread alone, and libcurl's functions that others call,
/// `curl_multi_wakeup`, may be called from any thread.
final class CurlLoop: @unchecked Sendable {
    private struct Inbox {
        var added: [CurlTransfer] = []
        var cancelled: [CurlTransfer] = []
    }

    /// nil where libcurl cannot be had.
    private let multi: UnsafeMutableRawPointer?
    private let inbox = Mutex(Inbox())
    /// Those that are under way, by their handles.
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    /// Starts the thread, which lives as long as the process.
    init(connectionsPerHost: Int) {
        // Also when Foundation has done it already: the calls are counted.
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        multi = code == CURLE_OK ? curl_multi_init() : nil
        guard let multi else { return }
        // A limit that libcurl does not take is one less, and no reason to send nothing.
        _ = stratus_curl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        let thread = Thread { [self] in run() }
        thread.name = "stratus-curl"
        thread.start()
    }

    /// Starts a transfer; whoever waits for it hears from it exactly once.
    func add(_ transfer: CurlTransfer) {
        guard let multi else {
            return transfer.finish(CurlError(CURLE_FAILED_INIT, systemError: 0, detail: ""))
        }
        inbox.withLock { $0.added.append(transfer) }
        // It fails only for a handle that is none.
        _ = curl_multi_wakeup(multi)
    }

    /// Gives a transfer up, wherever it is. It waits for nothing: Swift calls it while it holds a lock of the task.
    func cancel(_ transfer: CurlTransfer) {
        guard let multi else { return }
        transfer.noteCancelled()
        inbox.withLock { $0.cancelled.append(transfer) }
        // It fails only for a handle that is none.
        _ = curl_multi_wakeup(multi)
    }

    // MARK: The thread

    private func run() {
        while let multi {
            takeCalls(multi)
            var running: Int32 = 0
            let moved = curl_multi_perform(multi, &running)
            if moved != CURLM_OK { failAll(moved, multi) }
            readMessages(multi)
            expire(multi)
            let code = curl_multi_poll(multi, nil, 0, milliseconds(), nil)
            if code != CURLM_OK { failAll(code, multi) }
        }
    }

    private func takeCalls(_ multi: UnsafeMutableRawPointer) {
        let calls = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox
        }
        for transfer in calls.added { start(transfer, multi) }
        // One that ended, or that is not there yet, has no handle: start() looks for itself.
        for transfer in calls.cancelled where transfer.handle != nil {
            remove(transfer, multi)
            transfer.finish(.cancelled)
        }
    }

    private func start(_ transfer: CurlTransfer, _ multi: UnsafeMutableRawPointer) {
        guard !transfer.isCancelled else { return transfer.finish(.cancelled) }
        do throws(CurlError) {
            try transfer.prepare()
        } catch { return transfer.finish(error) }
        guard let handle = transfer.handle, curl_multi_add_handle(multi, handle) == CURLM_OK else {
            return transfer.finish(CurlError(CURLE_FAILED_INIT, systemError: 0, detail: ""))
        }
        transfers[handle] = transfer
    }

    private func remove(_ transfer: CurlTransfer, _ multi: UnsafeMutableRawPointer) {
        guard let handle = transfer.handle else { return }
        assert(transfers[handle] === transfer, "Who has a handle is in the table")
        let code = curl_multi_remove_handle(multi, handle)
        assert(code == CURLM_OK, "A transfer of the table is one of the loop's")
        transfers[handle] = nil
    }

    private func readMessages(_ multi: UnsafeMutableRawPointer) {
        var left: Int32 = 0
        var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
        while let message = curl_multi_info_read(multi, &left)?.pointee {
            guard message.msg == CURLMSG_DONE, let handle = message.easy_handle else { continue }
            ended.append((handle, message.data.result))
        }
        for (handle, code) in ended {
            guard let transfer = transfers[handle] else { continue }
            remove(transfer, multi)
            transfer.finish(code)
        }
    }

    private func expire(_ multi: UnsafeMutableRawPointer) {
        let now = ContinuousClock.now
        for transfer in Array(transfers.values) {
            guard let deadline = transfer.deadline, deadline <= now else { continue }
            remove(transfer, multi)
            transfer.finish(.timedOut)
        }
    }

    /// A loop that does not move must not leave anybody waiting.
    private func failAll(_ code: CURLMcode, _ multi: UnsafeMutableRawPointer) {
        let sentence = String(cString: curl_multi_strerror(code))
        for transfer in Array(transfers.values) {
            remove(transfer, multi)
            transfer.finish(CurlError(.connectionLost, sentence))
        }
    }

    /// How long to sleep at most; libcurl wakes earlier for its own limits.
    private func milliseconds() -> Int32 {
        let hour: Int64 = 3_600_000
        guard let first = transfers.values.lazy.compactMap(\.deadline).min() else { return Int32(hour) }
        let rest = (first - .now) / .milliseconds(1)
        return Int32(max(1, min(Double(hour), rest.rounded(.up))))
    }
}
