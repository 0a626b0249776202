import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `assets/upload`: addresses to send files to, one for each field asked for.
    func uploadTokens(_ request: AssetsUploadRequest, _ context: CallContext) async throws -> ServiceOutput {
        try checkTakesAssets(context)
        guard request.tokens.count <= Limits.uploadTokensPerRequest else {
            throw ServiceError.tooMany(
                "tokens", request.tokens.count, exceeding: "uploadTokensPerRequest",
                Limits.uploadTokensPerRequest)
        }
        let zoneID = request.zoneID ?? .default
        let context = try await store(for: context).read(.short) { reader in
            let context = try context.entering(zoneID, reader)
            guard let zone = try Zones.find(zoneID, context, reader), let access = context.access else {
                return context
            }
            let members = try ShareMembers(access, ShareHierarchy(zone: zone, reader), reader)
            guard members.participations.contains(where: { $0.permission == .write }) else {
                throw ServiceError.readersOnly(isReadable: true)
            }
            return context
        }
        let schema = store.schema(of: context.tenant)
        let rights = context.rights
        var tokens: [UploadToken] = []
        for wish in request.tokens {
            try Names.checkRecordType(wish.recordType)
            try Names.checkField(wish.fieldName, ofType: wish.recordType)
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
            throw ServiceError.tooMany(
                "assets", request.assets.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        let secret = secret
        // Bodies are read beside the writes, each once; what is found is kept for as long as after an upload.
        let (found, context) = try await store(for: context).read(.long, for: context.party) { reader in
            let context = try context.entering(request.zoneID ?? .default, reader)
            return (try Self.held(request, context, reader, secret), context)
        }
        let contents = found.compactMap { try? $0.get().files }.joined()
        guard contents.count <= Limits.assetsPerRecord else {
            throw ServiceError.tooMany(
                "files", contents.count, exceeding: "assetsPerRecord", Limits.assetsPerRecord)
        }
        return try await store(for: context).writeAnswer(WriteEffort(records: contents.count)) { store in
            for content in Set(contents) { try store.noteAsset(content, at: context.now) }
            var failed = 0
            var output = ServiceOutput { writer in
                writer.beginObject()
                writer.key("assets")
                writer.beginArray()
                for (item, result) in zip(request.assets, found) {
                    switch result {
                    case .success(let held):
                        if held.isList { writer.beginArray() }
                        for content in held.files { writer.receipt(content, context, secret) }
                        if held.isList { writer.endArray() }
                    case .failure(let error):
                        failed += 1
                        writer.itemError(error, recordName: item.recordName, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
            output.items = request.assets.count
            output.failedItems = failed
            return output
        }
    }

    /// The files of a field.
    private struct Held: Sendable {
        var files: [AssetContent]
        var isList: Bool
    }

    /// What the fields that are asked for hold, in their order; the body of a record is read once for all of its fields.
    private static func held(
        _ request: AssetsRereferenceRequest, _ context: CallContext, _ reader: any StoreReader,
        _ secret: ServiceSecret
    ) throws -> [Result<Held, ServiceError>] {
        let zone = try Zones.find(request.zoneID ?? .default, context, reader)
        let schema = try reader.schema(of: context.tenant)
        let rights = context.rights
        let members = try zone.flatMap { try ShareAnswers(context, $0, reader, secret).members }
        let missing = Result<Held, ServiceError>.failure(ServiceError(.notFound, "Record not found"))
        var found = Array(repeating: missing, count: request.assets.count)
        let positions = Dictionary(grouping: request.assets.indices) {
            ExactText(request.assets[$0].recordName)
        }
        for (name, positions) in positions {
            try Task.checkCancellation()
            guard let row = try zone.flatMap({ try reader.record(named: name.text, in: $0.id) }),
                try rights.may(
                    .read, recordNamed: row.name, RecordOrigin(type: row.type, createdBy: row.createdBy),
                    in: schema, members)
            else { continue }
            let fields = try RecordBody.fields(of: row.body)
            for position in positions {
                let field = request.assets[position].fieldName
                do throws(ServiceError) {
                    found[position] = .success(try held(fields.first { $0.name == field }?.value, field))
                } catch { found[position] = .failure(error) }
            }
        }
        return found
    }

    private static func held(_ value: FieldValue?, _ field: String) throws(ServiceError) -> Held {
        switch value {
        case .asset(let asset):
            if let content = AssetContent(asset) { return Held(files: [content], isList: false) }
        case .list(let elements, of: .asset):
            let contents = elements.compactMap { element -> AssetContent? in
                guard case .asset(let asset) = element else { return nil }
                return AssetContent(asset)
            }
            if contents.count == elements.count { return Held(files: contents, isList: true) }
        default: break
        }
        throw ServiceError(
            .badRequest, "The record has no asset in the field '\(field.prefix(64))'.",
            remedy: "Name a field of type ASSETID or ASSETID_LIST that has a value.")
    }

    /// - Throws: where nothing can be uploaded, or nobody is there who could write.
    private func checkTakesAssets(_ context: CallContext) throws(ServiceError) {
        guard assets != nil else { throw .storesNoFiles }
        guard context.scope == .shared || context.rights.mayWriteAny(of: store.schema(of: context.tenant))
        else { throw .needsUser }
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
