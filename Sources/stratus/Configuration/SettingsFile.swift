import Foundation
import RecordWire

/// The settings file: one JSON object whose members are settings.
///
/// Read with our own JSON reader, which knows the place of a mistake, and so that a misspelt setting is an error
/// instead of being passed over.
enum SettingsFile {
    /// The file that is read where nobody names one.
    static let defaultPath = "stratus.json"
    /// The one that is read where there is no ``defaultPath``: that of an installed service, so that its commands
    /// find its data.
    static let systemPath = "/etc/stratus/stratus.json"

    /// The values of the file as text.
    ///
    /// - Parameters:
    ///   - path: the file; nil for the first of the default ones. All of them may be missing, and the system's one
    ///     may be closed to this user.
    ///   - system: where the system's file is.
    /// - Throws: a ``Failure`` that names the file and the mistake.
    static func values(at path: String?, system: String = systemPath) throws -> [String: String] {
        let files = FileManager.default
        let usual = files.fileExists(atPath: defaultPath) ? defaultPath : nil
        guard let name = path ?? usual ?? (files.isReadableFile(atPath: system) ? system : nil) else {
            return [:]
        }
        let data: Data
        do {
            data = try FileContents.read(name)
        } catch {
            throw Failure.usage(
                "The settings file \(name) cannot be read.",
                remedy: "Check the name given with --config or STRATUS_CONFIG.")
        }
        do {
            return try values(json: Array(data), name: name)
        } catch let error as JSONError {
            throw Failure.usage(
                "The settings file \(name) is not valid: \(error)", remedy: "It looks like {\"port\": 8080}.")
        }
    }

    /// The values of a file's content.
    static func values(json: [UInt8], name: String) throws -> [String: String] {
        guard let object = try JSONReader.read(json).object else {
            throw JSONError.shape("It must be an object.")
        }
        var values: [String: String] = [:]
        for (key, value) in object.members {
            guard members.contains(key) else { throw Self.unknown(key, name: name) }
            switch value {
            case .string(let text): values[key] = text
            case .int(let number): values[key] = String(number)
            case .double(let number), .longInteger(let number): values[key] = String(number)
            case .bool(let flag): values[key] = String(flag)
            case .null: continue
            case .array, .object:
                throw Failure.usage("The setting '\(key)' in \(name) must be text or a number.")
            }
        }
        return values
    }

    /// The settings that the file may have.
    private static let members = Settings.all.filter { $0.places.contains(.file) }.map(\.name)

    private static func unknown(_ key: String, name: String) -> Failure {
        // `log-level` and `STRATUS_LOG_LEVEL` are the same setting elsewhere.
        let other = Settings.all.first {
            $0.places.contains(.file) && [$0.environmentName, $0.optionName, $0.flag].contains(key)
        }
        let near = other?.name ?? CommandSuggestion.nearest(to: key, among: members, by: { [$0] })
        let guess = near.map { "Did you mean '\($0)'? " } ?? ""
        return .usage(
            "The settings file \(name) has the setting '\(key)', which does not exist.",
            remedy: "\(guess)The settings are \(members.joined(separator: ", ")).")
    }
}
