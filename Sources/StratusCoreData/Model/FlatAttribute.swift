/// A stored attribute, or an element of a composite one.
package struct FlatAttribute {
    /// The property of the entity.
    package var owner: NSAttributeDescription
    /// The elements that lead to it; empty for an ordinary attribute.
    package var path: [String]
    /// What is stored.
    package var attribute: NSAttributeDescription

    /// The attribute itself, or the elements of a composite one.
    package static func all(_ attribute: NSAttributeDescription) -> [FlatAttribute] {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            return [FlatAttribute(owner: attribute, path: [], attribute: attribute)]
        }
        return elements(of: composite).map {
            FlatAttribute(owner: attribute, path: $0.path, attribute: $0.element)
        }
    }

    private static func elements(
        of composite: NSCompositeAttributeDescription
    ) -> [(path: [String], element: NSAttributeDescription)] {
        composite.elements.flatMap { element -> [(path: [String], element: NSAttributeDescription)] in
            guard let nested = element as? NSCompositeAttributeDescription else {
                return [([element.name], element)]
            }
            return elements(of: nested).map { ([element.name] + $0.path, $0.element) }
        }
    }
}
