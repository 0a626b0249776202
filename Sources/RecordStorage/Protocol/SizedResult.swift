/// What a write gives back that may be large, and is held in memory until its commit is on the disk.
///
/// An engine that commits many writes together ends a commit when their outcomes together hold much.
public protocol SizedResult: Sendable {
    /// How many bytes it holds, about.
    var heldBytes: Int { get }
}
