import Foundation
import PackagePlugin

/// Generates what an app's Core Data model layer needs on Linux, before its target is compiled.
@main
struct ManagedObjectGenerator: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let files = module.sourceFiles.map(\.url)
        let sources = files.filter { $0.pathExtension == "swift" }
        let models = files.filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }
        let mappings = files.filter { $0.pathExtension == "xcmappingmodel" }
        let output = context.pluginWorkDirectoryURL
        var arguments = ["generate", "--module", module.moduleName, "--output", output.path]
        var inputs = sources + (models + mappings).flatMap(contents)
        for source in sources { arguments += ["--source", source.path] }
        for model in models { arguments += ["--model", model.path] }
        for mapping in mappings { arguments += ["--mapping", mapping.path] }
        for dependency in dependencies(of: target, in: context.package) {
            arguments += ["--dependency", "\(dependency.moduleName)=\(dependency.directoryURL.path)"]
            inputs += dependency.sourceFiles.map(\.url).filter { $0.pathExtension == "swift" }
        }
        // A model that is an input of a command is no unhandled file, of which SwiftPM would warn.
        inputs += models + mappings
        return [
            .buildCommand(
                displayName: "Generating managed objects of \(target.name)",
                executable: try context.tool(named: "managed-object-generator").url, arguments: arguments,
                inputFiles: inputs,
                outputFiles: [
                    output.appending(path: "ManagedObjectClasses.swift"),
                    output.appending(path: "ManagedObjectAccessors.swift"),
                ]
                    + models.map { output.appending(path: name(of: $0) + ".momd") }
                    + mappings.map { output.appending(path: name(of: $0) + ".cdm") })
        ]
    }

    private func name(of folder: URL) -> String { folder.deletingPathExtension().lastPathComponent }

    /// The files in a model's folder, so that a change of any runs the tool again.
    private func contents(of folder: URL) -> [URL] {
        guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return paths.compactMap { $0 as? String }
            .filter {
                ["contents", ".xccurrentversion", "xcmapping.xml"].contains(
                    ($0 as NSString).lastPathComponent)
            }
            .sorted().map { folder.appending(path: $0) }
    }

    /// The modules of the same package that the target uses; their types may be those of attributes.
    private func dependencies(of target: any Target, in package: Package) -> [any SourceModuleTarget] {
        let own = Set(package.targets.map(\.id))
        return target.recursiveTargetDependencies.filter { own.contains($0.id) }.compactMap(\.sourceModule)
            .sorted { $0.moduleName < $1.moduleName }
    }
}
