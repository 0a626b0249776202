import RecordBackup
import RecordWire

/// A backup as commands show it.
enum BackupOutput {
    /// Writes what a backup is into an object that is open.
    static func members(of backup: Backup, _ writer: inout JSONWriter) {
        let manifest = backup.manifest
        writer.member("path", backup.path)
        writer.member("created", Format.time(manifest.createdAt))
        writer.member("version", manifest.version)
        writer.member("verified", manifest.isVerified)
        writer.member("sequence", manifest.sequence)
        writer.member("records", manifest.counts["records"] ?? 0)
        writer.member("files", manifest.assetFiles)
        writer.member("bytes", manifest.size)
        writer.member("missing", manifest.missing)
    }

    /// What is in it, in words.
    static func contents(of manifest: BackupManifest) -> String {
        "\(counted(Int(manifest.counts["records"] ?? 0), "record")) and \(counted(manifest.assetFiles, "file")), \(Format.bytes(manifest.size))"
    }
}
