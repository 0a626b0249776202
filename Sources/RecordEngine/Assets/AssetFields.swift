import RecordModel
import RecordStorage
import RecordWire

/// The files among the fields of a record that is to be saved: checked, and in the form in which they are kept.
struct AssetFields {
    let database: DatabaseID
    let zone: String
    let recordName: String
    let recordType: String
    let now: Int64
    let secret: ServiceSecret
    let store: any StoreWriter
    /// The record as it was and the version that it is restored to, whose files need no receipt.
    let earlierBodies: [[UInt8]]

    /// Puts what is kept in the place of what was sent.
    ///
    /// - Returns: the files that the record refers to from now on.
    /// - Throws: `BAD_REQUEST` for a file of which nothing proves that it was uploaded.
    func resolve(
        _ fields: inout [(name: String, value: FieldValue)]
    ) throws -> [(field: String, digest: AssetDigest)] {
        guard fields.contains(where: { $0.value.type?.scalar == .asset }) else { return [] }
        let held = try heldFiles()
        var uses: [(field: String, digest: AssetDigest)] = []
        for index in fields.indices {
            let name = fields[index].name
            func resolved(_ value: FieldValue) throws -> FieldValue {
                guard case .asset(let asset) = value else { return value }
                let content = try content(of: asset, field: name, held: held[name] ?? [:])
                uses.append((name, content.digest))
                return .asset(Asset(content))
            }
            switch fields[index].value {
            case .asset: fields[index].value = try resolved(fields[index].value)
            case .list(let elements, of: .asset):
                fields[index].value = .list(try elements.map(resolved), of: .asset)
            default: continue
            }
        }
        guard uses.count <= Limits.assetsPerRecord else {
            throw ServiceError(
                exceeding: "assetsPerRecord",
                "The record has \(uses.count) files; \(Limits.assetsPerRecord) are allowed.")
        }
        return uses
    }

    /// The files that fields refer to, each with its bytes.
    static func contents(of fields: [(name: String, value: FieldValue)]) -> [AssetDigest: Int64] {
        var contents: [AssetDigest: Int64] = [:]
        for (_, value) in fields where value.type?.scalar == .asset {
            let values: [FieldValue] = if case .list(let elements, _) = value { elements } else { [value] }
            for case .asset(let asset) in values {
                if let digest = AssetDigest(checksum: asset.fileChecksum) { contents[digest] = asset.size }
            }
        }
        return contents
    }

    /// The bytes of the files that fields refer to; a file counts once for each field.
    static func bytes(of fields: [(name: String, value: FieldValue)]) -> Int64 {
        var bytes: Int64 = 0
        for (_, value) in fields where value.type?.scalar == .asset {
            let values: [FieldValue] = if case .list(let elements, _) = value { elements } else { [value] }
            var sizes: [String: Int64] = [:]
            for case .asset(let asset) in values { sizes[asset.fileChecksum] = asset.size }
            bytes += sizes.values.reduce(0, +)
        }
        return bytes
    }

    private func content(
        of asset: Asset, field: String, held: [String: AssetContent]
    ) throws -> AssetContent {
        guard let receipt = asset.receipt else {
            // A client that saves a whole record back has no receipt for what was there before.
            if let content = held[asset.fileChecksum] { return content }
            throw ServiceError(
                .badRequest, "Field '\(field)': bad upload receipt (did_not_validate)",
                remedy: "Upload the file, and send the dictionary that answers the upload.")
        }
        let slot = AssetSlot(zone: zone, recordName: recordName, recordType: recordType, fieldName: field)
        guard
            let content = AssetReceipt.open(receipt, for: database, slot: slot, now: now, secret: secret),
            content.digest.checksum == asset.fileChecksum, try store.asset(content.digest) != nil
        else {
            throw ServiceError(
                .badRequest, "Field '\(field)': bad upload receipt (did_not_validate)",
                remedy:
                    "Upload the file again: a receipt is valid for the field that its address was made for, and for \(Limits.receiptSeconds) seconds."
            )
        }
        return content
    }

    /// The files of the record as it was, by field and checksum.
    private func heldFiles() throws -> [String: [String: AssetContent]] {
        var held: [String: [String: AssetContent]] = [:]
        for (name, value) in try earlierBodies.flatMap(RecordBody.fields(of:)) {
            let values: [FieldValue] = if case .list(let elements, _) = value { elements } else { [value] }
            for case .asset(let asset) in values {
                guard let digest = AssetDigest(checksum: asset.fileChecksum) else { continue }
                held[name, default: [:]][asset.fileChecksum] = AssetContent(digest: digest, size: asset.size)
            }
        }
        return held
    }
}
