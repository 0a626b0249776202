/// Whether a condition comes true: asked again and again, as long as a busy machine may need for what takes a
/// moment otherwise.
///
/// - Returns: The condition as it was at last, so that `#expect(await eventually { … })` fails where it never held.
public func eventually(
    within patience: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
}
