/// All settings. Each is declared here and nowhere else; ``ServerFlags`` and its neighbours name those that have an
/// option, because the argument parser finds options by reflection.
enum Settings {
    /// Where the other settings are. It cannot be in the file itself.
    static let config = Setting(
        SettingKey(
            name: "config", help: "The settings file.", valueName: "file",
            defaultMeaning: "\(SettingsFile.defaultPath), then \(SettingsFile.systemPath)",
            places: [.flag, .environment]))

    /// What the demo is made of. Only `stratus demo` has it, so it is not among ``all``.
    static let demoFiles = Setting(
        SettingKey(
            name: "demoFiles",
            help: "The folder of the names, sentences and pictures that the demo is made of.",
            valueName: "directory",
            defaultMeaning: "./Examples/Demo, then that of the checkout or the package the program is of",
            example: "/usr/share/stratus/demo", places: [.flag, .environment]))

    /// What the server is set by, in the order of `--print-config`.
    static let server: [SettingKey] = [
        data.key, store.key, host.key, port.key, publicURL.key, tlsCertificate.key, tlsKey.key,
        http2.key, redirectPort.key, logLevel.key, logFormat.key, publicWrites.key,
        indexes.key, drainSeconds.key, trustedProxies.key, addressRate.key, userRate.key, tokenRate.key,
        userQuota.key, containerQuota.key,
        site.key, backupTo.key, backupEvery.key,
        backupKeep.key, archiveTo.key, archiveKeep.key,
        removedSchemaDays.key, mailServer.key, mailCertificates.key, mailFrom.key,
        passwordWords.key, breachedPasswords.key, operatorSecondStep.key, webhookTargets.key,
        masterKeyFile.key, masterKey.key,
        secret.key,
    ]

    /// What the commands that talk to a server are set by.
    static let remote: [SettingKey] = [
        url.key, container.key, environment.key, apiToken.key, webAuthToken.key,
    ]

    /// All of them.
    static let all = [config.key] + server + remote
}
