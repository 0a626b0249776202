import RecordModel

/// A request whose sender was let in: what ``RecordService/admit(_:)`` gives for its head, so that a body is taken
/// only from who may send one.
public struct Admission: Sendable {
    /// Who sends the request; nobody yet for a signed one, whose signature needs the body.
    public let caller: Caller
    /// The web auth token with which the client goes on, where it is time for another one.
    public let nextWebAuthToken: String?
}

extension RecordService {
    /// Looks at everything of a request but its body: its tokens, and whether they reach the database.
    ///
    /// ``answer(_:)`` checks them again, which costs little, since tokens are remembered: a body may take minutes.
    /// - Throws: the error to answer with, as ``answer(_:)`` would give it.
    public func admit(_ call: ServiceCall) async throws -> Admission {
        do {
            let context = try await context(for: call, isWhole: false)
            guard context.isTokenDue, let token = call.credentials.webAuthToken else {
                return Admission(caller: context.caller, nextWebAuthToken: nil)
            }
            // A store that takes no writes at the moment must not refuse a read for it.
            let next = try? await authenticator.sessions.successor(of: token, now: context.now)
            return Admission(caller: context.caller, nextWebAuthToken: next ?? nil)
        } catch {
            let failure = ServiceError(describing: error)
            guard failure.code == .authenticationRequired else { throw error }
            throw leadingToSignIn(failure, call)
        }
    }
}
