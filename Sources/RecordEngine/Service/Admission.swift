import RecordModel

/// A request whose sender was let in: what ``RecordService/admit(_:)`` gives for its head, so that a body is taken
/// only from who may send one.
public struct Admission: Sendable {
    /// Who sends the request; nobody yet for a signed one, whose signature needs the body.
    public let caller: Caller
    /// The web auth token with which the client goes on, where it is time for another one.
    public let nextWebAuthToken: String?
    /// What is known of the request; nil for a signed one.
    let context: CallContext?
}

extension RecordService {
    /// Looks at everything of a request but its body: its tokens, and whether they reach the database.
    ///
    /// - Throws: the error to answer with, as ``answer(_:admitted:)`` would give it.
    public func admit(_ call: ServiceCall) async throws -> Admission {
        do {
            let context = try await context(for: call, isWhole: false)
            var next: String?
            if context.isTokenDue, let token = call.credentials.webAuthToken {
                // A store that takes no writes at the moment must not refuse a read for it.
                next = try? await authenticator.sessions.successor(of: token, now: context.now)
            }
            return Admission(
                caller: context.caller, nextWebAuthToken: next,
                context: call.credentials.signature == nil ? context : nil)
        } catch {
            let failure = ServiceError(describing: error)
            guard failure.code == .authenticationRequired else { throw error }
            throw leadingToSignIn(failure, call)
        }
    }

    /// What is known of a request that has its body now.
    ///
    /// Who was let in a moment ago is not asked again; a body may take minutes, and then tokens are looked at again.
    func context(for call: ServiceCall, admitted: Admission?) async throws -> CallContext {
        let now = environment.now()
        guard var context = admitted?.context, now - context.now < Self.admissionMilliseconds else {
            return try await self.context(for: call, isWhole: true)
        }
        assert(
            context.tenant == call.tenant && context.requestID == call.requestID,
            "the admission of another request")
        context.now = max(now, context.now)
        context.requestBytes = call.body.count
        context.room = call.room
        return context
    }

    /// How long a look at a request's tokens is good for.
    private static let admissionMilliseconds: Int64 = 1_000
}
