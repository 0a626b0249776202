/// Finds the getters that the module's classes write for transient attributes of the models.
///
/// The Objective-C runtime lets Key-Value Coding call them by name, which is how a controller names its sections by a
/// transient attribute (Apple's sample DateSectionTitles). Here the run time gets their key paths.
struct TransientGetters {
    let index: ModuleIndex
    let entities: EntityIndex

    /// The classes with such getters, and their names with the conditions around them; all sorted.
    func entries() -> [(className: String, properties: [(property: String, conditions: [String])])] {
        entities.classNames.compactMap { className in
            guard isNameable(className) else { return nil }
            let found = entities.transientAttributes(ofClass: className).flatMap { name in
                index.files(mentioning: name).flatMap(\.getters)
                    .filter { $0.name == name && $0.context == [className] && !$0.access.isPrivateToFile }
                    .map { (property: name, conditions: $0.conditions) }
            }
            return found.isEmpty ? nil : (className, found)
        }
    }

    private func isNameable(_ className: String) -> Bool {
        index.types(at: [className]).allSatisfy { !$0.isGeneric && !$0.head.access.isPrivateToFile }
    }
}
