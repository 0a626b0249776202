import Configuration
import Foundation
import Synchronization

/// The places where settings are looked for: flags over environment over file over default.
struct SettingsLayers: Sendable {
    private let reader: ConfigReader
    private let recorder: SourceRecorder

    /// Stacks the places.
    ///
    /// - Parameters:
    ///   - flags: what the command line gave; nil values count as not given.
    ///   - environment: the process's environment.
    ///   - file: the values of the settings file.
    init(flags: [SettingKey: String?], environment: [String: String], file: [String: String]) {
        // All values travel as text: only so an unreadable one ('STRATUS_PORT=http') is an error that names
        // its place. A typed lookup would pass over it in silence.
        func provider(_ source: SettingsSource, _ values: [String: String]) -> InMemoryProvider {
            InMemoryProvider(
                name: source.rawValue,
                values: Dictionary(
                    uniqueKeysWithValues: values.map { key, value in
                        (AbsoluteConfigKey([key]), ConfigValue(.string(value), isSecret: false))
                    }))
        }
        let given = flags.compactMap { key, value in value.map { (key.name, $0) } }
        // Container tools pass variables that nobody set as empty text.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$1.isEmpty })
        let defaults = SettingKey.all.compactMap { key in key.defaultValue.map { (key.name, $0) } }
        recorder = SourceRecorder()
        reader = ConfigReader(
            providers: [
                provider(.flag, Dictionary(uniqueKeysWithValues: given)),
                variables.prefixKeys(with: "stratus"),
                provider(.file, file),
                provider(.default, Dictionary(uniqueKeysWithValues: defaults)),
            ],
            accessReporter: recorder)
    }

    /// The value that counts.
    func value(of key: SettingKey) -> EffectiveSetting {
        let value = reader.string(forKey: ConfigKey(key.name), isSecret: key.isSecret)
        return EffectiveSetting(key: key, value: value, source: recorder.source(of: key.name))
    }

    /// The value that counts, read as something else.
    ///
    /// - Throws: a ``Failure`` that names the place of a value which cannot be read.
    func value<Value>(
        of key: SettingKey, expecting expected: String, _ read: (String) -> Value?
    ) throws -> Value {
        let setting = value(of: key)
        guard let text = setting.value else {
            throw Failure.usage("No \(key.name) was given.", remedy: "Give \(key.exampleCall).")
        }
        guard let value = read(text) else {
            throw Failure.usage(
                "\(setting.place) is '\(setting.shownValue)', but must be \(expected).",
                remedy:
                    "Give it with \(key.flag ?? key.environmentName); the command's own --help says more.")
        }
        return value
    }
}

/// Notes which place a value was found in.
private final class SourceRecorder: AccessReporter {
    private let sources = Mutex<[String: SettingsSource]>([:])

    func report(_ event: AccessEvent) {
        // The places are asked in order, and the last one asked is the one that answered.
        let position = event.providerResults.count - 1
        guard SettingsSource.allCases.indices.contains(position) else { return }
        sources.withLock { sources in
            sources[event.metadata.key.components.joined(separator: ".")] = SettingsSource.allCases[position]
        }
    }

    func source(of name: String) -> SettingsSource { sources.withLock { $0[name] } ?? .default }
}

extension SettingsLayers {
    /// The process's own environment and settings file below some flags.
    static func standard(
        flags: [SettingKey: String?], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SettingsLayers {
        let file = try SettingsFile.values(at: environment["STRATUS_CONFIG"])
        return SettingsLayers(flags: flags, environment: environment, file: file)
    }
}
