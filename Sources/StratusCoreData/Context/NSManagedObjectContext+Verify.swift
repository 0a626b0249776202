// What holds whenever the app has called a context, looked at in debug builds.

extension NSManagedObjectContext {
    /// Checks, at the end of each public method that changes something, that lists and marks agree: an object that is
    /// listed has the mark of it, and one of the registry's that has the mark is listed.
    ///
    /// Nothing is looked at while changes are processed, undone or merged. That a changed object is listed is not among
    /// it, since it does not always hold: what others deleted is marked so and not listed, and a rollback takes all objects
    /// from the list before it reverts them one by one and calls their hooks.
    func verify() { assert(isConsistent, "An object is in a list without its mark, or the other way round.") }

    private var isConsistent: Bool {
        guard activity.isDisjoint(with: [.processing, .undoing, .saving, .merging]) else { return true }
        verifications &+= 1
        guard verifications.isMultiple(of: Self.callsBetweenWalks) else {
            return pending.isConsistent(upTo: 16)
        }
        guard
            registry.count <= Self.smallContext
                || verifications.isMultiple(of: Self.callsBetweenWalks * Self.callsBetweenWalks)
        else { return pending.isConsistent }
        let listed = Set(pending.objects.map(ObjectIdentifier.init))
        return pending.isConsistent(upTo: .max)
            && registry.all.allSatisfy {
                !$0.marks.contains(.listed) || listed.contains(ObjectIdentifier($0))
            }
    }

    /// Walking all objects after each call would make tests with many of them slow: those of a small context are walked
    /// after each 16th, those of a larger one after each 256th.
    private static var callsBetweenWalks: Int { 16 }
    private static var smallContext: Int { 256 }
}
