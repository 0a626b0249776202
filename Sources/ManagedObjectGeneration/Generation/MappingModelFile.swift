import DataModel
public import Foundation

/// A mapping model of a target: an `.xcmappingmodel`.
public struct MappingModelFile: Sendable {
    /// The name, without extension.
    public var name: String
    /// Where it is.
    public var path: String
    private let source: Result<MappingSource, any Error>

    /// Reads a mapping model; what is wrong with it is said by ``compiled(with:module:declares:)``.
    public init(contentsOf url: URL) {
        name = url.deletingPathExtension().lastPathComponent
        path = url.path
        source = Result { try MappingSource(contentsOf: url) }
    }

    /// The bytes of the `.cdm`; empty where it cannot be compiled, and a diagnostic says why.
    ///
    /// - Parameters:
    ///   - models: the target's models, among whose versions are the two that the mapping is between.
    ///   - module: the module, by which policies without one are called.
    ///   - declares: whether the module declares a class of that name.
    public func compiled(
        with models: [ModelFile], module: String, declares: (String) -> Bool
    ) -> (data: Data, diagnostics: [GeneratorDiagnostic]) {
        do {
            var document = try compile(source.get(), with: models)
            for index in document.entityMappings.indices {
                guard let policy = document.entityMappings[index].policyClassName, !policy.contains("."),
                    declares(policy)
                else { continue }
                document.entityMappings[index].policyClassName = "\(module).\(policy)"
            }
            return (document.archive(), [])
        } catch {
            let diagnostic = GeneratorDiagnostic(
                .warning, path: path, "the mapping model '\(name)' is not compiled: \(error)")
            return (Data(), [diagnostic])
        }
    }

    private func compile(_ source: MappingSource, with models: [ModelFile]) throws -> MappingDocument {
        let versions = models.flatMap { model in model.versions.map { (model, $0) } }
        func document(_ path: String?) throws -> ModelDocument {
            let parts = (path ?? "").split(separator: "/").map { ($0 as NSString).deletingPathExtension }
            var found = versions.filter { $0.1.name == parts.last }
            let ofModel = found.filter { $0.0.name == parts.dropLast().last }
            if !ofModel.isEmpty { found = ofModel }
            guard found.count == 1 else {
                throw MissingVersion(path: path ?? "", known: versions.map { "\($0.0.name)/\($0.1.name)" })
            }
            return try ModelDocument(xml: Data(found[0].1.contents.utf8), name: found[0].0.path)
        }
        return try source.compiled(
            from: document(source.sourceModelPath), to: document(source.destinationModelPath))
    }
}

/// A mapping model whose model is none of the target's.
private struct MissingVersion: Error, CustomStringConvertible {
    var path: String
    var known: [String]

    var description: String {
        let versions = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        return "the target has no version at '\(path)'. Versions of the target: \(versions). "
            + "Add the model to the target, or choose another in the mapping model."
    }
}
