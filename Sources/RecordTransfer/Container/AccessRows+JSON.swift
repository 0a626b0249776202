import RecordModel
import RecordStorage
import RecordWire

extension UserRow {
    /// A user's line. Accounts stay: they belong to the server and all of its containers.
    var line: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("recordName", recordName)
            writer.member("label", label)
            writer.member("createdAt", createdAt)
            writer.member("roles", roles)
            if let isAllowed = discovery.isAllowed { writer.member("discoverable", isAllowed) }
            writer.member("givenName", discovery.givenName)
            writer.member("familyName", discovery.familyName)
            if isDisabled { writer.member("disabled", true) }
            writer.endObject()
        }
    }

    /// Reads a user's line.
    init(line: JSONObject, tenant: Tenant) throws(JSONError) {
        self.init(
            tenant: tenant, recordName: try line.requiredString("recordName"),
            label: try line.requiredString("label"), createdAt: Int64(try line.int("createdAt") ?? 0),
            roles: try line.strings("roles") ?? [],
            discovery: UserDiscovery(
                isAllowed: try line.bool("discoverable"), givenName: try line.string("givenName") ?? "",
                familyName: try line.string("familyName") ?? ""),
            isDisabled: try line.bool("disabled") ?? false)
    }
}

extension IdentifiedToken {
    /// A token's line: what is known of it, and its digest. The token itself is known to nobody but who uses it.
    var line: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("digest", digest.hex)
            writer.member("kind", row.kind.rawValue)
            writer.member("user", row.user)
            writer.member("label", row.label)
            writer.member("createdAt", row.createdAt)
            writer.member("expiresAt", row.expiresAt)
            writer.member("publicKey", row.publicKey.map { Base64.encode($0) })
            writer.member("callback", row.callback)
            writer.member("origins", row.origins)
            if row.asksForPeople { writer.member("asksForPeople", true) }
            writer.endObject()
        }
    }

    /// Reads a token's line.
    init(line: JSONObject, tenant: Tenant) throws(JSONError) {
        guard let digest = AssetDigest(hex: try line.requiredString("digest")),
            let kind = TokenRow.Kind(rawValue: try line.requiredString("kind"))
        else { throw .shape("A token has no digest, or is of an unknown kind.") }
        self.init(
            digest: digest.bytes,
            row: TokenRow(
                kind: kind, tenant: tenant, user: try line.string("user"),
                label: try line.string("label") ?? "", createdAt: Int64(try line.int("createdAt") ?? 0),
                expiresAt: try line.int("expiresAt").map(Int64.init),
                publicKey: try line.string("publicKey").flatMap { Base64.decode($0) },
                callback: try line.string("callback"), origins: try line.strings("origins") ?? [],
                asksForPeople: try line.bool("asksForPeople") ?? false))
    }
}

extension VersionKeeping {
    /// A type's line.
    func line(ofType name: String) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("type", name)
            writer.member("count", count)
            writer.member("days", days)
            writer.endObject()
        }
    }

    /// Reads a type's line; nil where it is beyond what there may be.
    init?(line: JSONObject) throws(JSONError) {
        self.init(count: try line.int("count") ?? 0, days: try line.int("days") ?? 0)
    }
}
