import RecordModel
import RecordStorage
import RecordWire

/// What the address of an upload stands for: one field of one record, for one caller, for a while.
struct UploadToken: Hashable {
    var database: DatabaseID
    var zone: String
    var recordName: String
    var recordType: String
    var fieldName: String
    /// The record name of who asked for the address.
    var caller: String
    /// In milliseconds since 1970.
    var expiresAt: Int64
    /// Random bytes by which the address is told from others for the same field.
    var number: [UInt8]
    /// Whether the client named the record; a receipt is then good for no other one.
    var namesRecord: Bool

    /// So many bytes tell addresses apart.
    static let numberBytes = 12

    /// What a receipt of the upload is good for.
    var slot: AssetSlot {
        AssetSlot(
            zone: zone, recordName: namesRecord ? recordName : nil, recordType: recordType,
            fieldName: fieldName)
    }

    private static let purpose = Array("asset upload".utf8)

    func sealed(_ secret: ServiceSecret) -> String {
        var bytes = TokenBytes()
        bytes.write(expiresAt)
        bytes.write(database)
        for text in [zone, recordName, recordType, fieldName, caller] { bytes.write(.text(text)) }
        bytes.write(namesRecord ? 1 : 0)
        return SealedToken.seal(number + bytes.bytes, for: Self.purpose, in: .address, secret: secret)
    }

    /// - Throws: `ACCESS_DENIED` for a text that is not ours, or of which the time is over.
    static func open(_ text: String, secret: ServiceSecret, now: Int64) throws(ServiceError) -> UploadToken {
        let remedy = "Ask assets/upload for an address; it is valid for \(Limits.uploadTokenSeconds) seconds."
        guard text.utf8.count <= Limits.requestHeadBytes,
            let payload = SealedToken.open(text, for: purpose, secret: secret)
        else { throw ServiceError(.accessDenied, "The upload address is not valid.", remedy: remedy) }
        var bytes = TokenBytes(Array(payload.dropFirst(numberBytes)))
        guard let expiresAt = bytes.readInt(), let database = bytes.readDatabase(),
            let zone = bytes.readText(), let recordName = bytes.readText(),
            let recordType = bytes.readText(), let fieldName = bytes.readText(),
            let caller = bytes.readText(), let namesRecord = bytes.readInt(), bytes.isAtEnd
        else { throw ServiceError(.accessDenied, "The upload address is not valid.", remedy: remedy) }
        guard expiresAt > now else {
            throw ServiceError(.accessDenied, "The upload address has expired.", remedy: remedy)
        }
        return UploadToken(
            database: database, zone: zone, recordName: recordName, recordType: recordType,
            fieldName: fieldName, caller: caller, expiresAt: expiresAt,
            number: Array(payload.prefix(numberBytes)), namesRecord: namesRecord != 0)
    }
}

/// The field that a file was uploaded for: of one record, or of any of a type where the client named none.
struct AssetSlot: Hashable {
    var zone: String
    var recordName: String?
    var recordType: String
    var fieldName: String

    private func isOfRecord(_ name: String?) -> Bool {
        guard let name, let recordName else { return name == nil && recordName == nil }
        return name.isExactly(recordName)
    }

    /// Whether a receipt for this slot is good for another one, which names its record.
    ///
    /// The zone does not count where no record was named: clients ask for addresses before they know where they save.
    func covers(_ other: AssetSlot) -> Bool {
        recordType == other.recordType && fieldName == other.fieldName
            && (recordName == nil || isOfRecord(other.recordName) && zone == other.zone)
    }
}

/// What proves that a file was uploaded for a field of a database, or was there to be referred to.
enum AssetReceipt {
    private static let purpose = Array("asset receipt".utf8)

    /// - Parameter slot: what the receipt is good for; nil for every field of the database.
    static func make(
        _ content: AssetContent, for database: DatabaseID, slot: AssetSlot?, now: Int64, secret: ServiceSecret
    ) -> String {
        var bytes = TokenBytes()
        bytes.write(now + Int64(Limits.receiptSeconds) * 1_000)
        bytes.write(content.size)
        bytes.write(database)
        if let slot {
            for text in [slot.zone, slot.recordType, slot.fieldName] { bytes.write(.text(text)) }
            bytes.write(slot.recordName.map { .text($0) } ?? .null)
        }
        return SealedToken.seal(content.digest.bytes + bytes.bytes, for: purpose, secret: secret)
    }

    /// The content of a receipt for a field; nil for what is none, another's, or too old.
    static func open(
        _ text: String, for database: DatabaseID, slot: AssetSlot, now: Int64, secret: ServiceSecret
    ) -> AssetContent? {
        guard text.utf8.count <= Limits.requestHeadBytes,
            let payload = SealedToken.open(text, for: purpose, secret: secret),
            let digest = AssetDigest(bytes: Array(payload.prefix(AssetDigest.byteCount)))
        else { return nil }
        var bytes = TokenBytes(Array(payload.dropFirst(AssetDigest.byteCount)))
        guard let expiresAt = bytes.readInt(), let size = bytes.readInt(), bytes.readDatabase() == database,
            expiresAt > now
        else { return nil }
        let content = AssetContent(digest: digest, size: size)
        if bytes.isAtEnd { return content }
        guard let zone = bytes.readText(), let type = bytes.readText(), let field = bytes.readText() else {
            return nil
        }
        let recordName: String?
        switch bytes.readValue() {
        case .null: recordName = nil
        case .text(let name): recordName = name
        default: return nil
        }
        let uploaded = AssetSlot(zone: zone, recordName: recordName, recordType: type, fieldName: field)
        return bytes.isAtEnd && uploaded.covers(slot) ? content : nil
    }
}

/// The names under which files can be fetched.
enum AssetAddress {
    private static let purpose = Array("asset download".utf8)
    /// Addresses given within this part of their life are the same, so that browsers find what they kept.
    private static let lifeParts: Int64 = 4

    /// The name of a file; nil for the end makes one that is good for ever, the same each time.
    static func make(_ digest: AssetDigest, expiresAt: Int64?, secret: ServiceSecret) -> String {
        var bytes = TokenBytes()
        if let expiresAt { bytes.write(expiresAt) }
        return SealedToken.seal(digest.bytes + bytes.bytes, for: purpose, in: .address, secret: secret)
    }

    /// The end of an address that is given now, in milliseconds.
    static func end(now: Int64) -> Int64 {
        let step = Int64(Limits.downloadSeconds) * 1_000 / lifeParts
        return (now / step + lifeParts) * step
    }

    /// - Throws: `NOT_FOUND` for a name that is not ours, `ACCESS_DENIED` for one of which the time is over.
    static func open(
        _ text: String, secret: ServiceSecret, now: Int64
    ) throws(ServiceError) -> (digest: AssetDigest, expiresAt: Int64?) {
        guard text.utf8.count <= Limits.nameLength,
            let payload = SealedToken.open(text, for: purpose, secret: secret),
            let digest = AssetDigest(bytes: Array(payload.prefix(AssetDigest.byteCount)))
        else { throw ServiceError(.notFound, "There is no file at this address.") }
        var bytes = TokenBytes(Array(payload.dropFirst(AssetDigest.byteCount)))
        if bytes.isAtEnd { return (digest, nil) }
        guard let expiresAt = bytes.readInt(), bytes.isAtEnd else {
            throw ServiceError(.notFound, "There is no file at this address.")
        }
        guard expiresAt > now else {
            throw ServiceError(
                .accessDenied, "The address of the file has expired.",
                remedy: "Fetch the record again; its 'downloadURL' is a new one.")
        }
        return (digest, expiresAt)
    }
}

extension TokenBytes {
    mutating func write(_ database: DatabaseID) {
        write(.text(database.tenant.container.rawValue))
        write(.text(database.tenant.environment.rawValue))
        write(database.owner.map { .text($0) } ?? .null)
    }

    mutating func readText() -> String? {
        guard case .text(let text)? = readValue() else { return nil }
        return text
    }

    mutating func readDatabase() -> DatabaseID? {
        guard let container = readText().flatMap({ try? ContainerID($0) }),
            let environment = readText().flatMap(CloudEnvironment.init(rawValue:))
        else { return nil }
        let tenant = Tenant(container: container, environment: environment)
        switch readValue() {
        case .null: return DatabaseID(tenant: tenant, owner: nil)
        case .text(let owner): return DatabaseID(tenant: tenant, owner: owner)
        default: return nil
        }
    }
}
