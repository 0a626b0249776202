/// A setting that can be given in several places: its names there, and what it is for.
struct SettingKey: Hashable, Sendable {
    /// The name in the file, `logLevel`.
    var name: String
    /// The flag, `--log-level`; nil for secrets, which would stand in the process list.
    var flag: String?
    /// The value where nobody gives one.
    var defaultValue: String?
    /// Whether the value must not be shown.
    var isSecret = false
    /// A value that it may have.
    var example: String?

    /// How it is given: `--container iCloud.com.example.app, or STRATUS_CONTAINER`.
    var exampleCall: String {
        guard let flag else { return environmentName }
        return "\(flag) \(example ?? name.uppercased()), or \(environmentName)"
    }

    /// The name in the environment, `STRATUS_LOG_LEVEL`.
    var environmentName: String {
        var words = "STRATUS_"
        var previous: Character = "a"
        for character in name {
            // `publicURL` becomes PUBLIC_URL: one dash for a run of capitals.
            if character.isUppercase, !previous.isUppercase { words += "_" }
            previous = character
            words += character.uppercased()
        }
        return words
    }
}

extension SettingKey {
    static let data = SettingKey(name: "data", flag: "--data", defaultValue: "./data")
    static let store = SettingKey(
        name: "store", flag: "--store", isSecret: true, example: "postgres://stratus@localhost/stratus")
    static let host = SettingKey(name: "host", flag: "--host", defaultValue: "127.0.0.1")
    static let port = SettingKey(name: "port", flag: "--port", defaultValue: "8080")
    static let logLevel = SettingKey(name: "logLevel", flag: "--log-level", defaultValue: "info")
    static let logFormat = SettingKey(name: "logFormat", flag: "--log-format", defaultValue: "auto")
    static let publicWrites = SettingKey(
        name: "publicWrites", flag: "--public-writes", defaultValue: "creator")
    static let indexes = SettingKey(name: "indexes", flag: "--indexes", defaultValue: "open")
    static let drainSeconds = SettingKey(name: "drainSeconds", flag: "--drain-seconds", defaultValue: "10")
    static let publicURL = SettingKey(
        name: "publicURL", flag: "--public-url", example: "https://records.example.org")
    static let trustedProxies = SettingKey(
        name: "trustedProxies", flag: "--trusted-proxies", example: "10.0.0.2,10.0.0.3")
    static let site = SettingKey(name: "site", flag: "--site", example: "./public")
    static let secret = SettingKey(name: "secret", isSecret: true)

    /// What the server is set by.
    static let server: [SettingKey] = [
        .data, .store, .host, .port, .publicURL, .logLevel, .logFormat, .publicWrites, .indexes,
        .drainSeconds, .trustedProxies, .site,
        .secret,
    ]

    static let url = SettingKey(name: "url", flag: "--url", defaultValue: "http://127.0.0.1:8080")
    static let container = SettingKey(
        name: "container", flag: "--container", example: "iCloud.com.example.app")
    static let environment = SettingKey(
        name: "environment", flag: "--environment", defaultValue: "development")
    static let apiToken = SettingKey(name: "apiToken", flag: "--api-token", isSecret: true)
    static let webAuthToken = SettingKey(name: "webAuthToken", flag: "--web-auth-token", isSecret: true)

    /// What the commands that talk to a server are set by.
    static let remote: [SettingKey] = [.url, .container, .environment, .apiToken, .webAuthToken]

    /// All of them: what a settings file may hold.
    static let all = server + remote
}
