internal import Foundation
internal import Synchronization

/// Where goes what no caller can be given: that something an app relies on has no effect yet.
enum CloudKitLog {
    private struct State {
        var warned: Set<PlannedFeature> = []
        var handler: @Sendable (String) -> Void = { message in
            FileHandle.standardError.write(Data("CloudKit: \(message)\n".utf8))
        }
    }

    private static let state = Mutex(State())

    /// Says once in a process that a feature has no effect yet, and what to do instead.
    static func warn(of feature: PlannedFeature, remedy: String) {
        let handler = state.withLock { state in
            state.warned.insert(feature).inserted ? state.handler : nil
        }
        handler?(
            "The service does not support \(feature.rawValue) yet; version \(feature.serverVersion) of it will. \(remedy)"
        )
    }

    /// Starts over with another receiver of the warnings, for tests.
    static func restart(_ handler: @escaping @Sendable (String) -> Void) {
        state.withLock { $0 = State(handler: handler) }
    }
}
