import ArgumentParser
import RecordModel

/// The container and the environment that a command means.
struct TenantOptions: ParsableArguments {
    @Option(
        name: [.customLong("container"), .customLong("container-id")],
        help: ArgumentHelp("The container, iCloud.com.example.app for example.", valueName: "container"))
    var container: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "development (types are created when they are used) or production (only what was deployed). Default: development.",
            valueName: "environment"))
    var environment: String?

    /// The tenant, from flags, environment or settings file.
    func tenant() throws -> Tenant {
        let layers = try SettingsLayers.standard(flags: [.container: container, .environment: environment])
        let container = try layers.value(of: .container, expecting: "a container like iCloud.com.example.app")
        {
            try? ContainerID($0)
        }
        let environment = try layers.value(of: .environment, expecting: "development or production") {
            CloudEnvironment(rawValue: $0)
        }
        return Tenant(container: container, environment: environment)
    }
}
