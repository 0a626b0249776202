internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryWriter {
    func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws {
        let key = MemoryState.UserKey(tenant: tenant, recordName: recordName)
        let isTaken = state.users.contains {
            $0.key != key && $0.key.tenant == tenant && $0.value.label == label
        }
        guard !isTaken else { throw StorageError.engine("The label is another user's.") }
        state.users[key]?.label = label
    }

    func setDiscovery(_ discovery: UserDiscovery, ofUserNamed recordName: String, tenant: Tenant) throws {
        state.users[MemoryState.UserKey(tenant: tenant, recordName: recordName)]?.discovery = discovery
    }

    func deleteUser(named recordName: String, of tenant: Tenant) throws {
        state.users[MemoryState.UserKey(tenant: tenant, recordName: recordName)] = nil
        hasRevoked = true
    }

    func store(_ account: AccountRow) throws {
        let holder = try self.account(withAddress: account.address)
        guard holder == nil || holder?.id == account.id else {
            throw StorageError.engine("The address is another account's.")
        }
        state.accounts[account.id] = account
        if account.isDisabled { hasRevoked = true }
    }

    func deleteAccount(_ id: String) throws {
        for session in try sessions(of: id) { try deleteSession(session.id) }
        state.credentials = state.credentials.filter { $0.value.account != id }
        state.accountLinks = state.accountLinks.filter { $0.value.account != id }
        state.accounts[id] = nil
        hasRevoked = true
    }

    func store(_ credential: CredentialRow) throws {
        state.credentials[[credential.kind.rawValue, credential.name]] = credential
    }

    func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws {
        state.credentials[[kind.rawValue, name]] = nil
    }

    func insert(_ link: AccountLinkRow, digest: [UInt8]) throws {
        makeTenant(link.tenant)
        guard state.accountLinks[digest] == nil else {
            throw StorageError.engine("The link already exists.")
        }
        state.accountLinks[digest] = link
    }

    func deleteAccountLink(digest: [UInt8]) throws { state.accountLinks[digest] = nil }

    func deleteAccountLinks(to address: String, of account: String?) throws {
        state.accountLinks = state.accountLinks.filter {
            $0.value.address != address && (account == nil || $0.value.account != account)
        }
    }

    func deleteAccountLinks(expiredBefore time: Int64) throws {
        state.accountLinks = state.accountLinks.filter { $0.value.expiresAt >= time }
    }

    func store(_ session: SessionRow) throws {
        makeTenant(session.tenant)
        state.sessions[session.id] = session
    }

    func deleteSessions(ofAPIToken digest: [UInt8]) throws {
        for session in state.sessions.values.filter({ $0.apiToken == digest }) {
            try deleteSession(session.id)
        }
    }

    func deleteSession(_ id: String) throws {
        state.tokens = state.tokens.filter { $0.value.succession?.session != id }
        state.receivers = state.receivers.filter { $0.value.origin != .session(id) }
        state.sessions[id] = nil
        hasRevoked = true
    }

    func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String? {
        let live = Set(
            state.tokens.lazy.map(\.value).filter { $0.expiresAt ?? .max >= time }
                .compactMap { $0.succession?.session })
        let seen = state.sessions.values.filter { $0.id > id }.sorted { $0.id < $1.id }.prefix(limit)
        for session in seen where session.endsAt < time || !live.contains(session.id) {
            try deleteSession(session.id)
        }
        return seen.last?.id
    }

    func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8]) throws {
        state.tokens[digest]?.succession = succession
        state.tokens[digest]?.expiresAt = expiresAt
    }

    func deleteTokens(of session: String, replacedBefore time: Int64) throws {
        state.tokens = state.tokens.filter { _, token in
            guard let succession = token.succession, succession.session == session else { return true }
            return succession.replacedAt ?? .max >= time
        }
    }

    func store(_ policy: SignInPolicyRow) throws {
        makeTenant(policy.tenant)
        state.signInPolicies[policy.tenant] = policy
    }

    func store(_ provider: SignInProviderRow) throws {
        makeTenant(provider.tenant)
        state.signInProviders[provider.tenant, default: [:]][provider.name] = provider
    }

    func store(_ erasure: ErasureRow) throws {
        makeTenant(erasure.tenant)
        state.erasures[MemoryState.UserKey(tenant: erasure.tenant, recordName: erasure.user)] = erasure
    }

    func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws {
        state.erasures[MemoryState.UserKey(tenant: tenant, recordName: name)] = nil
    }

    func deleteSignInProvider(named name: String, of tenant: Tenant) throws {
        state.signInProviders[tenant]?[name] = nil
    }
}
