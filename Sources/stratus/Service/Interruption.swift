import UnixSignals

/// Ctrl-C and SIGTERM for commands that run long: the work is cancelled and comes to its end, nothing is cut off.
enum Interruption {
    /// Does work until it ends or somebody stops it.
    ///
    /// - Returns: nil where it was stopped.
    /// - Throws: what the work throws.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                do {
                    return try await work()
                } catch is CancellationError {
                    return nil
                }
            }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            // Whichever comes first ends the other; what the work still had to say counts.
            let first = try await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            return try await group.next() ?? nil
        }
    }
}
