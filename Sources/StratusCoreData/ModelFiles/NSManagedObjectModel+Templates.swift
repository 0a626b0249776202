extension NSManagedObjectModel {
    func filledTemplate(
        _ name: String, _ variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = fetchRequestTemplatesByName[name],
            let request = template.copied() as? NSFetchRequest<any NSFetchRequestResult>
        else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        request.havingPredicate = request.havingPredicate?.withSubstitutionVariables(variables)
        return request
    }
}
