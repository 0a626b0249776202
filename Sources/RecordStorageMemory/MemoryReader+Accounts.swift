internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    func account(_ id: String) throws -> AccountRow? { state.accounts[id] }

    func account(withAddress address: String) throws -> AccountRow? {
        state.accounts.first { $0.value.address == address }?.value
    }

    func accounts(after address: String, limit: Int) throws -> [AccountRow] {
        Array(
            state.accounts.map(\.value).filter { [address].precedes([$0.address]) }
                .sorted { [$0.address].precedes([$1.address]) }.prefix(limit))
    }

    func credentials(of account: String) throws -> [CredentialRow] {
        state.credentials.map(\.value).filter { $0.account == account }
            .sorted { [$0.kind.rawValue, $0.name].precedes([$1.kind.rawValue, $1.name]) }
    }

    func credential(_ kind: CredentialRow.Kind, named name: String) throws -> CredentialRow? {
        state.credentials[[kind.rawValue, name]]
    }

    func accountLink(digest: [UInt8]) throws -> AccountLinkRow? { state.accountLinks[digest] }

    func session(_ id: String) throws -> SessionRow? { state.sessions[id] }

    func sessions(of account: String) throws -> [SessionRow] {
        state.sessions.map(\.value).filter { $0.account == account }
            .sorted { first, second in
                first.createdAt == second.createdAt
                    ? [first.id].precedes([second.id]) : first.createdAt > second.createdAt
            }
    }

    func users(ofAccount account: String) throws -> [UserRow] {
        state.users.map(\.value).filter { $0.account == account }
            .sorted { UserRow.Position($0).precedes(UserRow.Position($1)) }
    }

    func discoverableUsers(of tenant: Tenant, after recordName: String, limit: Int) throws -> [UserRow] {
        Array(
            state.users.map(\.value)
                .filter {
                    $0.tenant == tenant && $0.discovery.isAllowed == true
                        && [recordName].precedes([$0.recordName])
                }
                .sorted { [$0.recordName].precedes([$1.recordName]) }.prefix(limit))
    }

    func userName(labelled label: String, of tenant: Tenant) throws -> String? {
        state.users.first { $0.key.tenant == tenant && $0.value.label == label }?.key.recordName
    }

    func signInPolicy(of tenant: Tenant) throws -> SignInPolicyRow? { state.signInPolicies[tenant] }

    func erasures(limit: Int) throws -> [ErasureRow] {
        func key(_ row: ErasureRow) -> [String] {
            [row.tenant.container.rawValue, row.tenant.environment.rawValue, row.user]
        }
        let rows = state.erasures.map(\.value).sorted { first, second in
            first.createdAt == second.createdAt
                ? key(first).precedes(key(second)) : first.createdAt < second.createdAt
        }
        return Array(rows.prefix(limit))
    }

    func signInProviders(of tenant: Tenant) throws -> [SignInProviderRow] {
        (state.signInProviders[tenant] ?? [:]).map(\.value).sorted { [$0.name].precedes([$1.name]) }
    }
}
