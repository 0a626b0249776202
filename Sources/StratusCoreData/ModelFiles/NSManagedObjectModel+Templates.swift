extension NSManagedObjectModel {
    /// The stored fetch request of a name; nil where there is none. Change a copy, not the template itself.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        fetchRequestTemplatesByName[name]
    }

    /// Stores a fetch request under a name, or removes it.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        fetchRequestTemplatesByName[name] = fetchRequestTemplate
    }

    /// A copy of a stored fetch request with values in the places of its predicate's `$VARIABLES`.
    ///
    /// - Returns: nil where there is no such template.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = fetchRequestTemplatesByName[name],
            let request = template.copied() as? NSFetchRequest<any NSFetchRequestResult>
        else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        request.havingPredicate = request.havingPredicate?.withSubstitutionVariables(variables)
        return request
    }
}
