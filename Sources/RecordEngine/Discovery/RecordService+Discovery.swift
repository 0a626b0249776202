import RecordModel
import RecordStorage
import RecordWire

/// Finding people: only those who agreed to it in this container, only by apps that may ask, and only for users.
///
/// Everybody else is as if they were not there: an address without an account, one whose owner has not agreed, one of
/// another container's user. All of them are looked up by the same reads, so the time tells nothing either.
extension RecordService {
    /// `users/discover`: those of the lookups who are found, or a page of all who can be.
    func discover(
        _ request: UsersRequest, _ call: ServiceCall, _ context: CallContext
    ) async throws -> ServiceOutput {
        let name = try await discoverer(call, context)
        guard let lookups = request.lookups else { return try await everybody(request, name, context) }
        let found = try await find(lookups, name, context)
        return ServiceOutput { writer in
            writer.beginObject()
            writer.key("users")
            writer.beginArray()
            for (lookup, user) in found { writer.identity(user, lookup: lookup) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// `users/lookup/email` and `users/lookup/id`, with the dictionaries of older clients.
    func lookUpUsers(
        _ request: UsersRequest, _ call: ServiceCall, _ context: CallContext
    ) async throws -> ServiceOutput {
        let name = try await discoverer(call, context)
        let isByAddress = call.endpoint == .usersLookupEmail
        guard let lookups = request.lookups,
            lookups.allSatisfy({ ($0.emailAddress != nil) == isByAddress && $0.phoneNumber == nil })
        else {
            throw ServiceError(
                .badRequest,
                "'users' must be a list of objects with '\(isByAddress ? "emailAddress" : "userRecordName")'."
            )
        }
        let found = try await find(lookups, name, context)
        return ServiceOutput { writer in
            writer.beginObject()
            writer.key("users")
            writer.beginArray()
            for (lookup, user) in found { writer.olderUser(user, address: lookup.emailAddress) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// `users/caller` and `users/current`: who the caller is, with name and address where both app and user want that.
    func identity(_ call: ServiceCall, _ context: CallContext) async throws -> ServiceOutput {
        guard case .user(let name) = context.caller else { throw ServiceError.needsUser }
        let mayTell = try await authenticator.asksForPeople(call.credentials, now: context.now)
        let (user, address) = try await store(for: context).read(.short) { store in
            let user = try store.user(named: name, of: context.tenant)
            let account = mayTell ? try user?.account.flatMap { try store.account($0) } : nil
            return (user, account.flatMap { MailAddress($0.address) })
        }
        let known = mayTell && user?.discovery.isAllowed == true ? user : nil
        let shown = known == nil ? nil : address.flatMap { $0.isReachable ? $0.text : nil }
        if call.endpoint == .usersCurrent {
            return ServiceOutput { writer in
                writer.olderUser(
                    known ?? UserRow(tenant: context.tenant, recordName: name, label: "", createdAt: 0),
                    address: shown, roles: context.roles)
            }
        }
        return ServiceOutput { writer in
            writer.beginObject()
            writer.member("userRecordName", name)
            if let known { writer.nameComponents(known.discovery) }
            if let shown { writer.lookupInfo(UserLookup(emailAddress: shown)) }
            if let isAllowed = user?.discovery.isAllowed { writer.member("isDiscoverable", isAllowed) }
            writer.roles(context.roles)
            writer.endObject()
        }
    }

    /// The caller, who may look for people.
    private func discoverer(_ call: ServiceCall, _ context: CallContext) async throws -> String {
        guard case .user(let name) = context.caller else { throw ServiceError.needsUser }
        guard try await authenticator.asksForPeople(call.credentials, now: context.now) else {
            throw ServiceError(
                .accessDenied, "The app may not ask for people.",
                remedy: "Whoever runs the server makes an API token that may: stratus token create --people")
        }
        return name
    }

    private func everybody(
        _ request: UsersRequest, _ name: String, _ context: CallContext
    ) async throws -> ServiceOutput {
        let most = Limits.usersPerAnswer
        let limit = request.resultsLimit ?? most
        guard 1...most ~= limit else {
            throw ServiceError(.badRequest, "'resultsLimit' must be from 1 to \(most).")
        }
        let marker = request.continuationMarker ?? ""
        guard marker.utf8.count <= Limits.nameLength else {
            throw ServiceError(.badRequest, "'continuationMarker' was not issued by this service.")
        }
        try discoveries.take(1, of: name, in: context.tenant, now: context.now)
        let found = try await store(for: context).read(.short) { store in
            let users = try store.discoverableUsers(of: context.tenant, after: marker, limit: limit + 1)
            return try users.map { (user: $0, isOpen: try Self.isOpen($0, store)) }
        }
        let page = found.prefix(limit)
        return ServiceOutput { writer in
            writer.beginObject()
            writer.key("users")
            writer.beginArray()
            for (user, isOpen) in page where isOpen { writer.identity(user, lookup: nil) }
            writer.endArray()
            if found.count > limit, let last = page.last {
                writer.member("continuationMarker", last.user.recordName)
            }
            writer.endObject()
        }
    }

    /// Those of the lookups who are found, in their order.
    private func find(
        _ lookups: [UserLookup], _ name: String, _ context: CallContext
    ) async throws -> [(UserLookup, UserRow)] {
        guard lookups.count <= Limits.userLookupsPerRequest else {
            throw ServiceError(
                .badRequest, "A request looks for \(Limits.userLookupsPerRequest) people at most.")
        }
        for lookup in lookups {
            let keys = [lookup.emailAddress, lookup.phoneNumber, lookup.userRecordName].compactMap { $0 }
            guard keys.count == 1 else {
                throw ServiceError(
                    .badRequest,
                    "A lookup must have one of 'emailAddress', 'phoneNumber' and 'userRecordName'.")
            }
            guard keys[0].utf8.count <= Limits.nameLength else {
                throw ServiceError(
                    .badRequest, "A lookup's value has \(Limits.nameLength) bytes at most.")
            }
        }
        try discoveries.take(lookups.count, of: name, in: context.tenant, now: context.now)
        let start = ContinuousClock.now
        let found = try await store(for: context).read(.short) { store in
            try lookups.compactMap { lookup in
                try Self.user(of: lookup, in: context.tenant, store).map { (lookup, $0) }
            }
        }
        let steps = (ContinuousClock.now - start) / Self.answerStep
        try await Task.sleep(until: start + Self.answerStep * steps.rounded(.up), clock: .continuous)
        return found
    }

    /// Answers come at multiples of this, since a row that is found takes some microseconds longer to read than none, and a
    /// request could ask for the same address a hundred times.
    private static let answerStep = Duration.milliseconds(20)

    private static func user(
        of lookup: UserLookup, in tenant: Tenant, _ store: any StoreReader
    ) throws -> UserRow? {
        var user: UserRow?
        if let text = lookup.emailAddress {
            let account = try store.account(withAddress: MailAddress(text)?.text ?? "")
            // Asked for in any case, so that an address without an account takes as long.
            let users = try store.users(ofAccount: account?.id ?? Self.nobody)
            user = users.first { $0.tenant == tenant }
        } else if let name = lookup.userRecordName {
            user = try store.user(named: name, of: tenant)
        }
        let isOpen = try Self.isOpen(user, store)
        guard let user, isOpen, user.discovery.isAllowed == true else { return nil }
        return user
    }

    /// Whether neither the user nor its account has been shut out; asked for also where there is no user.
    private static func isOpen(_ user: UserRow?, _ store: any StoreReader) throws -> Bool {
        let account = try store.account(user?.account ?? nobody)
        guard user?.isDisabled != true else { return false }
        return user?.account == nil || account?.isDisabled == false
    }

    private static let nobody = String(repeating: "0", count: 32)
}

extension JSONWriter {
    fileprivate mutating func identity(_ user: UserRow, lookup: UserLookup?) {
        beginObject()
        member("userRecordName", user.recordName)
        nameComponents(user.discovery)
        if let lookup { lookupInfo(lookup) }
        endObject()
    }

    fileprivate mutating func nameComponents(_ discovery: UserDiscovery) {
        guard !discovery.givenName.isEmpty || !discovery.familyName.isEmpty else { return }
        key("nameComponents")
        beginObject()
        if !discovery.givenName.isEmpty { member("givenName", discovery.givenName) }
        if !discovery.familyName.isEmpty { member("familyName", discovery.familyName) }
        endObject()
    }

    fileprivate mutating func lookupInfo(_ lookup: UserLookup) {
        key("lookupInfo")
        lookup.write(to: &self)
    }

    fileprivate mutating func roles(_ roles: [String]) {
        guard !roles.isEmpty else { return }
        key("roles")
        beginArray()
        for role in roles { string(role) }
        endArray()
    }

    fileprivate mutating func olderUser(_ user: UserRow, address: String?, roles: [String] = []) {
        beginObject()
        member("userRecordName", user.recordName)
        if !user.discovery.givenName.isEmpty { member("firstName", user.discovery.givenName) }
        if !user.discovery.familyName.isEmpty { member("lastName", user.discovery.familyName) }
        if let address { member("emailAddress", address) }
        self.roles(roles)
        endObject()
    }
}
