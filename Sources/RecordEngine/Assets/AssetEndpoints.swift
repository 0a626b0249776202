import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `assets/upload`: addresses to send files to, one for each field asked for.
    func uploadTokens(_ request: AssetsUploadRequest, _ context: CallContext) async throws -> ServiceOutput {
        try checkTakesAssets(context)
        guard request.tokens.count <= Limits.uploadTokensPerRequest else {
            throw ServiceError.tooMany("tokens", request.tokens.count, Limits.uploadTokensPerRequest)
        }
        let zoneID = request.zoneID ?? .default
        _ = try await store.read(.short) { try Zones.find(zoneID, context, $0) }
        let schema = store.schema(of: context.tenant)
        let rights = context.rights
        var tokens: [UploadToken] = []
        for wish in request.tokens {
            try Names.checkIdentifier(wish.recordType, what: "record type")
            try Names.checkIdentifier(wish.fieldName, what: "field name")
            if let name = wish.recordName { try Names.checkRecordName(name) }
            let type = schema.types[wish.recordType] ?? RecordType(name: wish.recordType, id: 0)
            guard rights.mayCreate(type) || rights.reach(of: .write, in: type) != .none else {
                throw rights.refusal(.write, of: type)
            }
            if let field = schema.types[wish.recordType]?[wish.fieldName], field.type.scalar != .asset {
                throw ServiceError(
                    .badRequest,
                    "Invalid value, expected type \(field.type.tag) but actual value of field '\(field.name)' was of type ASSETID"
                )
            }
            tokens.append(
                UploadToken(
                    database: context.database, zone: zoneID.zoneName,
                    recordName: wish.recordName
                        ?? TimeOrderedName.make(now: environment.now(), random: environment.random(10)),
                    recordType: wish.recordType, fieldName: wish.fieldName,
                    caller: context.caller.userRecordName,
                    expiresAt: context.now + Int64(Limits.uploadTokenSeconds) * 1_000,
                    number: environment.random(UploadToken.numberBytes), namesRecord: wish.recordName != nil))
        }
        let secret = secret
        var output = ServiceOutput { writer in
            writer.beginObject()
            writer.key("tokens")
            writer.beginArray()
            for token in tokens {
                writer.beginObject()
                writer.member("recordName", token.recordName)
                writer.member("fieldName", token.fieldName)
                writer.member("url", context.baseURL + AssetPath.upload + "/" + token.sealed(secret))
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        output.items = tokens.count
        return output
    }

    /// `assets/rereference`: receipts of files that records of the database hold already.
    ///
    /// In the place of each field asked for is the value that another field may be given: a dictionary for a
    /// field of one file, a list of them for a list.
    func rereference(_ request: AssetsRereferenceRequest, _ context: CallContext) async throws
        -> ServiceOutput
    {
        try checkTakesAssets(context)
        guard request.assets.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany("assets", request.assets.count, Limits.itemsPerRequest)
        }
        let secret = secret
        return try await store.write { store in
            let zone = try Zones.find(request.zoneID ?? .default, context, store)
            let schema = try store.schema(of: context.tenant)
            let rights = context.rights
            let mayRead = { (origin: RecordOrigin) in rights.may(.read, origin, in: schema) }
            var failed = 0
            var files = 0
            var output = try ServiceOutput { writer in
                writer.beginObject()
                writer.key("assets")
                writer.beginArray()
                for item in request.assets {
                    do {
                        let (contents, isList) = try Self.contents(
                            of: item, in: zone, store, mayRead: mayRead)
                        files += contents.count
                        guard files <= Limits.assetsPerRecord else { break }
                        // From now on the files are kept for as long as after an upload.
                        for content in contents { try store.noteAsset(content, at: context.now) }
                        if isList { writer.beginArray() }
                        for content in contents { writer.receipt(content, context, secret) }
                        if isList { writer.endArray() }
                    } catch let error as ServiceError {
                        failed += 1
                        writer.itemError(error, recordName: item.recordName, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
            guard files <= Limits.assetsPerRecord else {
                throw ServiceError.tooMany("files", files, Limits.assetsPerRecord)
            }
            output.items = request.assets.count
            output.failedItems = failed
            return output
        }
    }

    /// The files that a field of a record holds, which the caller has to be able to read.
    private static func contents(
        of item: AssetsRereferenceRequest.Item, in zone: ZoneRow?, _ store: any StoreWriter,
        mayRead: (RecordOrigin) -> Bool
    ) throws -> (files: [AssetContent], isList: Bool) {
        guard let row = try zone.flatMap({ try store.record(named: item.recordName, in: $0.id) }),
            mayRead(RecordOrigin(type: row.type, createdBy: row.createdBy))
        else {
            throw ServiceError(.notFound, "Record not found")
        }
        let field = try RecordBody.fields(of: row.body).first { $0.name == item.fieldName }
        switch field?.value {
        case .asset(let asset):
            if let content = AssetContent(asset) { return ([content], false) }
        case .list(let elements, of: .asset):
            let contents = elements.compactMap { element -> AssetContent? in
                guard case .asset(let asset) = element else { return nil }
                return AssetContent(asset)
            }
            if contents.count == elements.count { return (contents, true) }
        default: break
        }
        throw ServiceError(
            .badRequest, "The record has no asset in the field '\(item.fieldName.prefix(64))'.",
            remedy: "Name a field of type ASSETID or ASSETID_LIST that has a value.")
    }

    /// - Throws: where nothing can be uploaded, or nobody is there who could write.
    private func checkTakesAssets(_ context: CallContext) throws(ServiceError) {
        guard assets != nil else { throw .storesNoFiles }
        guard context.rights.mayWriteAny(of: store.schema(of: context.tenant)) else { throw .needsUser }
    }
}

extension AssetContent {
    /// What a field of a stored record refers to; nil for a checksum that is not ours.
    fileprivate init?(_ asset: Asset) {
        guard let digest = AssetDigest(checksum: asset.fileChecksum) else { return nil }
        self.init(digest: digest, size: asset.size)
    }
}

extension ServiceError {
    /// The service was started without a place for files.
    static let storesNoFiles = ServiceError(
        .badRequest, "This service stores no files.",
        remedy: "Start it with an asset store; 'stratus serve' always has one.")
}

extension JSONWriter {
    /// Writes the value that a field gets for an uploaded file.
    mutating func receipt(_ content: AssetContent, _ context: CallContext, _ secret: ServiceSecret) {
        var asset = Asset(content)
        asset.receipt = AssetReceipt.make(
            content, for: context.database, slot: nil, now: context.now, secret: secret)
        asset.write(to: &self)
    }
}
