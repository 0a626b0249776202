internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryWriter {
    func insert(_ token: TokenRow, digest: [UInt8]) throws {
        makeTenant(token.tenant)
        guard state.tokens[digest] == nil else { throw StorageError.engine("The token already exists.") }
        state.tokens[digest] = token
    }

    func deleteToken(digest: [UInt8]) throws {
        state.tokens[digest] = nil
        hasRevoked = true
    }

    func noteUse(ofToken digest: [UInt8], at now: Int64) throws { state.tokens[digest]?.usedAt = now }

    func insert(_ user: UserRow) throws {
        makeTenant(user.tenant)
        let key = MemoryState.UserKey(tenant: user.tenant, recordName: user.recordName)
        let isTaken = state.users.contains {
            $0.key == key || $0.key.tenant == user.tenant && $0.value.label == user.label
        }
        guard !isTaken else { throw StorageError.engine("The user already exists.") }
        state.users[key] = user
    }

    func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws {
        state.users[MemoryState.UserKey(tenant: tenant, recordName: recordName)]?.roles = roles
        hasRevoked = true
    }

    func setDisabled(_ isDisabled: Bool, ofUserNamed recordName: String, tenant: Tenant) throws {
        state.users[MemoryState.UserKey(tenant: tenant, recordName: recordName)]?.isDisabled = isDisabled
        hasRevoked = true
    }

    func insert(_ row: OperatorRow) throws {
        guard state.operators[row.name] == nil else {
            throw StorageError.engine("The operator already exists.")
        }
        state.operators[row.name] = row
    }

    func setReadOnly(_ isReadOnly: Bool, ofOperatorNamed name: String) throws {
        state.operators[name]?.isReadOnly = isReadOnly
    }

    func deleteOperator(named name: String) throws {
        state.operatorTokens = state.operatorTokens.filter { $0.value.operatorName != name }
        state.operators[name] = nil
    }

    func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws { state.operatorTokens[digest] = token }

    func deleteOperatorToken(digest: [UInt8]) throws { state.operatorTokens[digest] = nil }

    func deleteOperatorTokens(expiredBefore time: Int64) throws {
        state.operatorTokens = state.operatorTokens.filter { $0.value.expiresAt ?? .max >= time }
    }

    func insert(_ row: AuditRow) throws {
        var row = row
        state.lastAudit += 1
        row.id = state.lastAudit
        state.audit.append(row)
        let extra = state.audit.count - Limits.auditEntries
        if extra > 0 { state.audit.removeFirst(extra) }
    }
}
