import ArgumentParser
import RecordModel

/// The container that a command on both environments means.
struct ContainerOptions: ParsableArguments {
    @Option(Settings.container) var container: String?

    @OptionGroup var ignored: IgnoredOptions

    /// The container, from the flag, the environment or the settings file.
    ///
    /// - Parameter data: names the settings file.
    func containerID(_ data: DataOptions) throws -> ContainerID {
        let flags = data.flags.merging([Settings.container.key: container]) { $1 }
        return try SettingsLayers.standard(flags: flags).value(of: Settings.container)
    }
}

/// What cktool's commands are given and nobody needs here, so that scripts keep working.
struct IgnoredOptions: ParsableArguments {
    @Option(name: [.customLong("team-id"), .customLong("token")], help: .hidden)
    var ignored: [String] = []
}
