/// A request whose sender was let in: what ``RecordService/admit(_:)`` gives for its head, so that a body is taken
/// only from who may send one.
public struct Admission: Sendable {
    let context: CallContext

    /// Who sends the request.
    public var caller: Caller { context.caller }
}

extension RecordService {
    /// Looks at everything of a request but its body: its tokens, and whether they reach the database.
    ///
    /// - Throws: the error to answer with, as ``answer(_:)`` would give it.
    public func admit(_ call: ServiceCall) async throws -> Admission {
        Admission(context: try await context(for: call))
    }
}
