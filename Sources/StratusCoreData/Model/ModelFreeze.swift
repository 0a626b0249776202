/// Whether a description may still be changed.
///
/// A model and its descriptions are plain mutable objects until a coordinator uses them; from then on they never
/// change, which is what makes them safe to read from every thread.
final class ModelFreeze {
    private(set) var isFrozen = false

    func freeze() { isFrozen = true }

    /// Stops the program with Apple's sentence: changing a model in use is a mistake of code, not of data.
    func requireMutable() {
        precondition(!isFrozen, "Can't modify an immutable model. Copy the model before it is changed.")
    }
}
