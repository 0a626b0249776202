import Foundation
import RecordWire

/// The settings file: one JSON object whose members are settings.
///
/// Read with our own JSON reader, which knows the place of a mistake, and so that a misspelt setting is an error
/// instead of being passed over.
enum SettingsFile {
    /// The file that is read where nobody names one.
    static let defaultPath = "stratus.json"

    /// The values of the file as text.
    ///
    /// - Parameter path: the file; nil for the default one, which may be missing.
    /// - Throws: a ``Failure`` that names the file and the mistake.
    static func values(at path: String?) throws -> [String: String] {
        let name = path ?? defaultPath
        if path == nil, !FileManager.default.fileExists(atPath: name) { return [:] }
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
            guard SettingKey.all.contains(where: { $0.name == key }) else {
                throw Failure.usage(
                    "The settings file \(name) has the setting '\(key)', which does not exist.",
                    remedy: "The settings are \(SettingKey.all.map(\.name).joined(separator: ", ")).")
            }
            switch value {
            case .string(let text): values[key] = text
            case .int(let number): values[key] = String(number)
            case .double(let number): values[key] = String(number)
            case .bool(let flag): values[key] = String(flag)
            case .null: continue
            case .array, .object:
                throw Failure.usage("The setting '\(key)' in \(name) must be text or a number.")
            }
        }
        return values
    }
}
