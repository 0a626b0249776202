import ArgumentParser

/// The flags of the server's settings.
struct ServerFlags: ParsableArguments {
    @Option(Settings.host) var host: String?
    @Option(Settings.port) var port: String?
    @Option(Settings.publicURL) var publicURL: String?
    @Option(Settings.tlsCertificate) var tlsCertificate: String?
    @Option(Settings.tlsKey) var tlsKey: String?
    @Option(Settings.http2) var http2: String?
    @Option(Settings.redirectPort) var redirectPort: String?
    @Option(Settings.logLevel) var logLevel: String?
    @Option(Settings.logFormat) var logFormat: String?
    @Option(Settings.publicWrites) var publicWrites: String?
    @Option(Settings.indexes) var indexes: String?
    @Option(Settings.drainSeconds) var drainSeconds: String?
    @Option(Settings.trustedProxies) var trustedProxies: String?
    @Option(Settings.addressRate) var addressRate: String?
    @Option(Settings.userRate) var userRate: String?
    @Option(Settings.tokenRate) var tokenRate: String?
    @Option(Settings.userQuota) var userQuota: String?
    @Option(Settings.containerQuota) var containerQuota: String?
    @Option(Settings.site) var site: String?
    @Option(Settings.backupTo) var backupTo: String?
    @Option(Settings.backupEvery) var backupEvery: String?
    @Option(Settings.backupKeep) var backupKeep: String?
    @Option(Settings.archiveTo) var archiveTo: String?
    @Option(Settings.archiveKeep) var archiveKeep: String?
    @Option(Settings.removedSchemaDays) var removedSchemaDays: String?
    @Option(Settings.masterKeyFile) var masterKeyFile: String?
    @Option(Settings.mailCertificates) var mailCertificates: String?
    @Option(Settings.mailFrom) var mailFrom: String?
    @Option(Settings.passwordWords) var passwordWords: String?
    @Option(Settings.breachedPasswords) var breachedPasswords: String?
    @Option(Settings.operatorSecondStep) var operatorSecondStep: String?
    @Option(Settings.webhookTargets) var webhookTargets: String?

    /// What was given.
    var flags: [SettingKey: String?] {
        [
            Settings.host.key: host, Settings.port.key: port, Settings.publicURL.key: publicURL,
            Settings.tlsCertificate.key: tlsCertificate, Settings.tlsKey.key: tlsKey,
            Settings.http2.key: http2, Settings.redirectPort.key: redirectPort,
            Settings.logLevel.key: logLevel,
            Settings.logFormat.key: logFormat,
            Settings.publicWrites.key: publicWrites, Settings.indexes.key: indexes,
            Settings.drainSeconds.key: drainSeconds, Settings.trustedProxies.key: trustedProxies,
            Settings.addressRate.key: addressRate, Settings.userRate.key: userRate,
            Settings.tokenRate.key: tokenRate, Settings.userQuota.key: userQuota,
            Settings.containerQuota.key: containerQuota, Settings.site.key: site,
            Settings.backupTo.key: backupTo,
            Settings.backupEvery.key: backupEvery, Settings.backupKeep.key: backupKeep,
            Settings.archiveTo.key: archiveTo, Settings.archiveKeep.key: archiveKeep,
            Settings.removedSchemaDays.key: removedSchemaDays,
            Settings.masterKeyFile.key: masterKeyFile,
            Settings.mailCertificates.key: mailCertificates,
            Settings.mailFrom.key: mailFrom,
            Settings.passwordWords.key: passwordWords,
            Settings.breachedPasswords.key: breachedPasswords,
            Settings.operatorSecondStep.key: operatorSecondStep,
            Settings.webhookTargets.key: webhookTargets,
        ]
    }
}
