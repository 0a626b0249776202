import ArgumentParser
import RecordModel

/// The container and the environment that a command means.
struct TenantOptions: ParsableArguments {
    @Option(Settings.container) var container: String?
    @Option(Settings.environment) var environment: String?

    /// What was given.
    var flags: [SettingKey: String?] {
        [Settings.container.key: container, Settings.environment.key: environment]
    }

    /// The tenant, from flags, environment or settings file.
    ///
    /// - Parameter data: names the settings file.
    func tenant(_ data: DataOptions) throws -> Tenant {
        try SettingsLayers.standard(flags: flags.merging(data.flags) { $1 }).tenant()
    }
}
