import RecordModel

/// The names of the files of an exported container.
enum ContainerPaths {
    static let schema = "schema.ckdb"
    static let users = "users.jsonl"
    static let tokens = "tokens.jsonl"
    /// Which types keep versions of their records; exports of before have none.
    static let versions = "versions.jsonl"
    static let zones = "zones.jsonl"
    static let records = "records.jsonl"

    /// The environments in the order of the files. Production comes first: what it has, development's schema has too.
    static let environments: [CloudEnvironment] = [.production, .development]

    static func path(_ name: String, _ environment: CloudEnvironment) -> String {
        environment.rawValue + "/" + name
    }

    static func asset(_ digest: AssetDigest) -> String { "assets/\(digest.hex.prefix(2))/\(digest.hex)" }
}
