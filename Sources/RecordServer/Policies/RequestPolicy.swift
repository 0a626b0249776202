import HummingbirdCore

/// One rule that requests pass on their way in, and their answers on the way out.
///
/// A policy that refuses requests while the server is being moved would be:
///
///     struct MovingPolicy: RequestPolicy {
///         let isMoving: @Sendable () -> Bool
///
///         func enter(_ passage: inout RequestPassage) async throws {
///             guard isMoving() else { return }
///             throw ServiceError(
///                 .tryAgainLater, "The server is being moved.", remedy: "Send the request again in a minute.")
///         }
///     }
///
/// `ServiceResponder.policies` lists them in order. A request enters one after the other. When one throws, its error is the answer.
/// The answer then leaves the policies that were entered, in the opposite order.
///
/// - `leave` runs exactly once for each `enter` that returned, whether the request was answered, refused or cancelled, or its client
///   has gone. It does not run for an `enter` that threw: such a policy holds nothing.
/// - A policy keeps what it takes (a share, room for bytes) in the passage, and gives it back in `leave`. After the last one
///   ``RequestPassage/holdsNothing`` is true, which is asserted.
/// - `leave` runs when the answer is ready to be sent. What counts until the client has taken it belongs to the answer's body
///   (`OutgoingAnswers`).
/// - Policies know of each other only what the passage tells. It is one value, passed down, so a further policy allocates nothing.
protocol RequestPolicy: Sendable {
    /// Checks a request, and takes what it needs from now on.
    ///
    /// - Throws: the error to answer with.
    func enter(_ passage: inout RequestPassage) async throws

    /// Gives back what ``enter(_:)`` took, and finishes the answer.
    func leave(_ passage: inout RequestPassage, _ response: inout Response)
}

extension RequestPolicy {
    /// Requests just pass.
    func enter(_ passage: inout RequestPassage) async throws {}

    /// There is nothing to give back.
    func leave(_ passage: inout RequestPassage, _ response: inout Response) {}
}
