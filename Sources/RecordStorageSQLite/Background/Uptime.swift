import Dispatch

/// The clock that only goes forward, for pauses and budgets.
enum Uptime {
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
