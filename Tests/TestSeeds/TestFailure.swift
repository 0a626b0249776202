/// What a helper says when the ground that a test stands on is not there.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    /// Says what is wrong.
    public init(_ description: String) { self.description = description }
}
