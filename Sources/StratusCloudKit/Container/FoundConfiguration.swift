internal import Foundation

/// What the configuration file and the environment say; a variable wins over the file's member.
///
/// | variable | member |
/// | --- | --- |
/// | `STRATUS_URL` | `url` |
/// | `STRATUS_CONTAINER` | `container` |
/// | `STRATUS_ENVIRONMENT` | `environment` |
/// | `STRATUS_API_TOKEN` | `apiToken` |
/// | `STRATUS_WEB_AUTH_TOKEN` | `webAuthToken` |
///
/// The file is the one that `STRATUS_CONFIG` names, or `stratus-client.json` in the working directory.
struct FoundConfiguration: Sendable {
    var containerIdentifier: String?
    var service = CKContainer.ServiceConfiguration()
    /// What is wrong with the configuration; nil where nothing is.
    var problem: String?

    static let fileName = "stratus-client.json"
    static let missingURL =
        "No record service is configured. Set STRATUS_URL, write 'url' into \(fileName), or open the "
        + "container with CKContainer(identifier:configuration:)."
    static let missingContainer =
        "No container is configured. Set STRATUS_CONTAINER, write 'container' into \(fileName), or open the "
        + "container with CKContainer(identifier:configuration:)."

    private struct File: Decodable {
        var url: String?
        var container: String?
        var environment: String?
        var apiToken: String?
        var webAuthToken: String?
    }

    /// Reads the environment and the file.
    static func find(
        variables: [String: String] = ProcessInfo.processInfo.environment,
        directory: String = FileManager.default.currentDirectoryPath
    ) -> FoundConfiguration {
        var found = FoundConfiguration()
        let named = variables["STRATUS_CONFIG"]
        let path = named ?? directory + "/" + fileName
        var file = File()
        if let data = FileManager.default.contents(atPath: path) {
            do {
                file = try JSONDecoder().decode(File.self, from: data)
            } catch {
                found.problem = "The configuration file '\(path)' cannot be read: \(error)"
            }
        } else if named != nil {
            found.problem = "The configuration file '\(path)', which STRATUS_CONFIG names, cannot be read."
        }
        found.fill(variables, file)
        return found
    }

    private mutating func fill(_ variables: [String: String], _ file: File) {
        func setting(_ variable: String, _ member: String?) -> String? {
            let value = variables[variable] ?? member
            return value?.isEmpty == true ? nil : value
        }
        containerIdentifier = setting("STRATUS_CONTAINER", file.container)
        service.apiToken = setting("STRATUS_API_TOKEN", file.apiToken)
        service.webAuthToken = setting("STRATUS_WEB_AUTH_TOKEN", file.webAuthToken)
        if let text = setting("STRATUS_URL", file.url) {
            service.url = URL(string: text)
            if service.url?.host == nil {
                problem = problem ?? "STRATUS_URL or 'url' is '\(text)', which is not an address."
            }
        }
        if let text = setting("STRATUS_ENVIRONMENT", file.environment) {
            if let environment = CKContainer.ServiceConfiguration.Environment(rawValue: text) {
                service.environment = environment
            } else {
                problem =
                    problem
                    ?? "STRATUS_ENVIRONMENT or 'environment' is '\(text)'; it can be 'development' or "
                    + "'production'."
            }
        }
    }
}
