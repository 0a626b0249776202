/// A request whose sender was let in: what ``RecordService/admit(_:)`` gives for its head, so that a body is taken
/// only from who may send one.
public struct Admission: Sendable {
    /// Who sends the request; nobody yet for a signed one, whose signature needs the body.
    public let caller: Caller
}

extension RecordService {
    /// Looks at everything of a request but its body: its tokens, and whether they reach the database.
    ///
    /// ``answer(_:)`` checks them again, which costs little, since tokens are remembered: a body may take minutes.
    /// - Throws: the error to answer with, as ``answer(_:)`` would give it.
    public func admit(_ call: ServiceCall) async throws -> Admission {
        Admission(caller: try await context(for: call, isWhole: false).caller)
    }
}
