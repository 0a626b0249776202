import Foundation
import RecordModel

/// How many files and sockets the system lets the process have.
enum OpenFileLimit {
    /// What the process needs besides its connections: the database's readers, files of assets, the log.
    private static let others = 512
    /// What is tried where the system allows less than all that.
    private static let fewest = 16

    /// Asks the system for as many as the connections need, and gives how many connections it allows.
    static func connections(wanting wanted: Int = Limits.connections) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let needed = rlim_t(wanted + others)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            // Where it is refused, there are fewer connections.
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
                guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                    return wanted
                }
            }
        }
        return min(wanted, max(fewest, Int(clamping: limit.rlim_cur) - others))
    }
}
