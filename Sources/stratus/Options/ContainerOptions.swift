import ArgumentParser
import RecordModel

/// The container that a command on both environments means.
struct ContainerOptions: ParsableArguments {
    @Option(
        name: [.customLong("container"), .customLong("container-id")],
        help: ArgumentHelp("The container, iCloud.com.example.app for example.", valueName: "container"))
    var container: String?

    @OptionGroup var ignored: IgnoredOptions

    /// The container, from the flag, the environment or the settings file.
    func containerID() throws -> ContainerID {
        try SettingsLayers.standard(flags: [.container: container])
            .value(of: .container, expecting: "a container like iCloud.com.example.app") {
                try? ContainerID($0)
            }
    }
}

/// What cktool's commands are given and nobody needs here, so that scripts keep working.
struct IgnoredOptions: ParsableArguments {
    @Option(name: [.customLong("team-id"), .customLong("token")], help: .hidden)
    var ignored: [String] = []
}
