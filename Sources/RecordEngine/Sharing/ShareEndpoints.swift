import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/resolve`: what links lead to, for whoever was given them.
    ///
    /// A link that leads nowhere, one that was revoked and one that is not for the caller have the same answer, at the same times.
    func resolve(_ request: ShareLinksRequest, _ context: CallContext) async throws -> ServiceOutput {
        try checkLinks(request, context)
        let secret = secret
        return try await atEvenTimes { [self] in
            try await store(for: context).readAnswer(.short, for: context.party) { reader in
                try Self.answer(request, context) { link, wish, writer in
                    guard let found = try ResolvedLink.find(link, context, reader) else {
                        return .shareNotFound
                    }
                    try writer.resolved(found, wish, context, reader, secret)
                    return nil
                } matches: { link in
                    try ResolvedLink.potentialMatches(link, context, reader)
                }
            }
        }
    }

    /// `records/accept`: makes the caller a participant of what links lead to. Whoever is one already stays what they are.
    func accept(_ request: ShareLinksRequest, _ context: CallContext) async throws -> ServiceOutput {
        try checkLinks(request, context)
        guard case .user(let name) = context.caller else { throw ServiceError.needsUser }
        let secret = secret
        let output = try await atEvenTimes { [self] in
            try await store(for: context).writeAnswer { store in
                try Self.answer(request, context) { link, wish, writer in
                    guard let found = try ResolvedLink.find(link, context, store) else {
                        return .shareNotFound
                    }
                    guard found.showsRecord else { return .notInvited }
                    try ShareEntry(found, user: name, context, store).accept()
                    guard let found = try ResolvedLink.find(link, context, store) else {
                        return .shareNotFound
                    }
                    try writer.resolved(found, wish, context, store, secret)
                    return nil
                } matches: { link in
                    try ResolvedLink.potentialMatches(link, context, store)
                }
            }
        }
        // The user's other devices follow what is shared from now on.
        await hub.reload(subscriptionsOf: name)
        return output
    }

    /// `records/requestAccess`: asks the owners of what links lead to to let the caller in. Our extension.
    ///
    /// The answer tells nobody whether there is such a share: only whoever takes part in it already is told so.
    func requestAccess(_ request: ShareLinksRequest, _ context: CallContext) async throws -> ServiceOutput {
        try checkLinks(request, context)
        guard case .user(let name) = context.caller else { throw ServiceError.needsUser }
        return try await atEvenTimes { [self] in
            try await store(for: context).writeAnswer { store in
                try Self.results(request, context) { wish, writer in
                    writer.key("shortGUID")
                    wish.write(to: &writer)
                    guard let link = LinkCode.find(in: wish.value),
                        let found = try ResolvedLink.find(link, context, store)
                    else { return nil }
                    return try ShareEntry(found, user: name, context, store).request()
                }
            }
        }
    }

    private func checkLinks(_ request: ShareLinksRequest, _ context: CallContext) throws(ServiceError) {
        guard request.links.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "shortGUIDs", request.links.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        try linkLookups.take(
            request.links.count, of: "\(context.party)", in: context.tenant, now: context.now)
    }

    /// Answers at multiples of a step, since what is found takes longer than what is not.
    func atEvenTimes<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        let output = try await work()
        let steps = (ContinuousClock.now - start) / Self.linkStep
        try await Task.sleep(until: start + Self.linkStep * steps.rounded(.up), clock: .continuous)
        return output
    }

    private static let linkStep = Duration.milliseconds(20)

    /// An answer with what links lead to.
    ///
    /// - Parameters:
    ///   - write: writes the members of a result, or says why there is none.
    ///   - matches: who may be meant where there is none.
    private static func answer(
        _ request: ShareLinksRequest, _ context: CallContext,
        _ write: (String, ShareLinksRequest.Link, inout JSONWriter) throws -> ServiceError?,
        matches: (String) throws -> [(id: String, address: String)]
    ) throws -> ServiceOutput {
        try results(request, context) { wish, writer in
            writer.key("shortGUID")
            ShareLinksRequest.Link(
                value: wish.value, wantsRoot: wish.wantsRoot ?? true, rootKeys: wish.rootKeys
            ).write(to: &writer)
            let link = LinkCode.find(in: wish.value)
            guard var error = try link.map({ try write($0, wish, &writer) }) ?? .shareNotFound else {
                return nil
            }
            if context.caller == .anonymous {
                writer.member("requireAppleLogin", true)
                error = .needsUser
            }
            let possible = error.code == .notFound ? try link.map(matches) ?? [] : []
            if !possible.isEmpty {
                error.nativeCode = NativeCode.participantMayNeedVerification
                writer.matches(possible)
            }
            return error
        }
    }

    /// An answer with a result for each link.
    ///
    /// - Parameter write: writes the members of a result, and says what is wrong with it.
    private static func results(
        _ request: ShareLinksRequest, _ context: CallContext,
        _ write: (ShareLinksRequest.Link, inout JSONWriter) throws -> ServiceError?
    ) throws -> ServiceOutput {
        var failures: [ItemFailure] = []
        var output = try ServiceOutput { writer in
            writer.beginObject()
            writer.key("results")
            writer.beginArray()
            for wish in request.links {
                writer.beginObject()
                if let error = try write(wish, &writer) {
                    failures.append(ItemFailure(name: "", error: error))
                    error.writeMembers(to: &writer, uuid: context.requestID)
                }
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        output.note(failures, among: request.links.count)
        return output
    }
}

extension ServiceError {
    /// A link that leads nowhere, or nowhere that the caller may know of.
    fileprivate static let shareNotFound = ServiceError(.notFound, "Share not found")

    /// A share that people may ask for, and that the caller was not invited to.
    fileprivate static let notInvited = ServiceError(
        .accessDenied, "You are not invited to this share.",
        remedy: "Ask its owner to let you in: 'records/requestAccess'.")
}

extension JSONWriter {
    fileprivate mutating func matches(_ matches: [(id: String, address: String)]) {
        key("potentialMatchList")
        beginArray()
        for match in matches {
            beginObject()
            member("participantId", match.id)
            key("contactInformation")
            UserLookup(address: match.address).write(to: &self)
            endObject()
        }
        endArray()
    }

    /// Writes what a link leads to.
    fileprivate mutating func resolved(
        _ found: ResolvedLink, _ wish: ShareLinksRequest.Link, _ context: CallContext,
        _ reader: any StoreReader, _ secret: ServiceSecret
    ) throws {
        let entered = found.context(context)
        let answers = try ShareAnswers(entered, found.hierarchy, reader, secret)
        let isOwner = if case .owner = found.standing { true } else { false }
        member("containerIdentifier", context.tenant.container.rawValue)
        member("environment", context.tenant.environment.rawValue)
        member("databaseScope", isOwner ? "PRIVATE" : "SHARED")
        zoneMembers(found.zone, entered)
        if let root = found.share.root, found.showsRecord {
            member("rootRecordName", root)
            if !found.target.isExactly(root) { try path(found, root) }
            if wish.wantsRoot ?? true {
                try record(root, "rootRecord", wish.rootKeys, found, entered, answers, reader, secret)
            }
        }
        try record(
            found.share.name, "share", found.showsRecord ? nil : RecordInput.previewKeys, found, entered,
            answers, reader, secret)
        key("ownerIdentity")
        try answers.owner().writeIdentity(to: &self)
        let (role, status, permission) = found.part
        member("participantType", role.rawValue)
        member("participantStatus", status.rawValue)
        member("participantPermission", SharePermission(permission).rawValue)
        if let link = LinkCode.find(in: wish.value) {
            member("webpageURL", LinkCode.address(of: link, context.baseURL))
        }
        if case .anybody = found.standing,
            let row = try reader.record(named: found.share.name, in: found.zone.id)
        {
            let pass = SharePass(
                zone: found.zone.id, share: found.share.name, sequence: row.sequence,
                endsAt: context.now + Int64(Limits.sharePassSeconds) * 1_000)
            key("anonymousPublicAccess")
            beginObject()
            member("token", pass.token(secret))
            member("databasePartition", context.baseURL)
            endObject()
        }
    }

    /// Where below the root a link leads.
    private mutating func path(_ found: ResolvedLink, _ root: String) throws {
        member("resolvedRecordName", found.target)
        var above: [String] = []
        var next = found.target
        while above.count < Limits.parentsPerRequest, !next.isExactly(root),
            let parent = try found.hierarchy.parent(of: next)
        {
            above.append(parent)
            next = parent
        }
        member("ancestorRecordNames", above)
    }

    private mutating func record(
        _ name: String, _ member: StaticString, _ keys: [String]?, _ found: ResolvedLink,
        _ context: CallContext, _ answers: ShareAnswers, _ reader: any StoreReader, _ secret: ServiceSecret
    ) throws {
        let suffix = try found.showsRecord ? answers.suffix(ofRecordNamed: name) ?? [] : []
        let selection = RecordBody.Selection(
            desiredKeys: keys, suffix: context.zoneSuffix(found.zone.name) + suffix,
            assetURL: context.assetURLs(try reader.schema(of: context.tenant), secret))
        key(member)
        let mark = self.mark
        let isThere = try reader.body(ofRecordNamed: name, in: found.zone.id) {
            try RecordBody.write($0, selection, to: &self)
        }
        if !isThere {
            rewind(to: mark)
            null()
        }
    }
}

extension ResolvedLink {
    /// What the caller is to the share, in the words of answers.
    fileprivate var part:
        (
            role: ParticipantDictionary.Role, status: ParticipantDictionary.Status,
            permission: ShareRow.Permission
        )
    {
        switch standing {
        case .owner: (.owner, .accepted, .write)
        case .participant(let row):
            (ParticipantDictionary.Role(row.role), ParticipantDictionary.Status(row.status), row.permission)
        case .visitor: (.publicUser, .unknown, share.publicPermission)
        case .anybody: (.publicUser, .unknown, .read)
        case .asker: (.unknown, .unknown, .none)
        }
    }
}

extension RecordInput {
    /// The fields of a share that people see before they are let in.
    fileprivate static let previewKeys = ["cloudkit.title", "cloudkit.thumbnailImageData", "cloudkit.type"]
}
