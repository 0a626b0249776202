import Foundation
import RecordModel

extension Settings {
    static let url = Setting(
        SettingKey(
            name: "url", help: "The server's address.", valueName: "address",
            expected: "an address like http://127.0.0.1:8080", defaultValue: "http://127.0.0.1:8080")
    ) { text -> URL? in
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host != nil
        else { return nil }
        return url
    }

    static let container = Setting(
        SettingKey(
            name: "container", help: "The container, iCloud.com.example.app for example.",
            valueName: "container", expected: "a container like iCloud.com.example.app",
            example: "iCloud.com.example.app", aliases: ["container-id"])
    ) { try? ContainerID($0) }

    static let environment = Setting<CloudEnvironment>(
        choosing: SettingKey(
            name: "environment",
            help:
                "development (types are created when they are used) or production (only what was deployed).",
            valueName: "environment", defaultValue: "development"))

    static let apiToken = Setting(
        SettingKey(name: "apiToken", help: "The API token.", valueName: "token", isSecret: true))

    static let webAuthToken = Setting(
        SettingKey(
            name: "webAuthToken", help: "The user's token. Needed to write, and for private databases.",
            valueName: "token", isSecret: true))
}
