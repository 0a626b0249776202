import RecordModel
import RecordStorage

/// All that takes no values of fields, and rows from copies, which carry them sealed.
extension SealedWriter {
    func nextSequence() throws -> Int64 { try writer.nextSequence() }
    func foresee(recordsNamed names: [String], in zone: Int64) throws {
        try writer.foresee(recordsNamed: names, in: zone)
    }
    func makeDatabase(_ id: DatabaseID) throws -> Int64 { try writer.makeDatabase(id) }
    func makeZone(named name: String, in database: Int64) throws -> ZoneRow {
        try writer.makeZone(named: name, in: database)
    }
    func deleteZone(_ zone: ZoneRow) throws { try writer.deleteZone(zone) }
    func store(databaseKey key: [UInt8], of database: Int64) throws {
        try writer.store(databaseKey: key, of: database)
    }
    func deleteCustomZones(of tenant: Tenant) throws { try writer.deleteCustomZones(of: tenant) }
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        try writer.makeType(named: name, tenant: tenant)
    }
    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType {
        try writer.addField(field, to: recordType, tenant: tenant)
    }
    func setIndexes(_ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant)
        throws
    { try writer.setIndexes(indexes, ofField: name, in: recordType, tenant: tenant) }
    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws { try writer.setDeclaration(declaration, ofField: name, in: recordType, tenant: tenant) }
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        try writer.removeField(named: name, from: recordType, tenant: tenant)
    }
    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        try writer.removeType(recordType, tenant: tenant)
    }
    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType {
        try writer.setAnnotations(
            systemIndexes: systemIndexes, grants: grants, of: recordType, tenant: tenant)
    }
    func setRoles(_ roles: [String], tenant: Tenant) throws { try writer.setRoles(roles, tenant: tenant) }
    func setKeeping(_ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant) throws
        -> RecordType
    { try writer.setKeeping(keeping, of: recordType, tenant: tenant) }
    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws {
        try writer.noteReturn(ofRecordNamed: name, in: zone)
    }
    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool {
        try writer.forgetVersions(of: group, endedBefore: time)
    }
    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws {
        try writer.forgetVersions(ofRecordNamed: name, in: zone)
    }
    func noteAsset(_ content: AssetContent, at now: Int64) throws { try writer.noteAsset(content, at: now) }
    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int {
        try writer.dateReleasedAssets(at: now, limit: limit)
    }
    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool {
        try writer.removeAsset(digest, unusedBefore: time)
    }
    func insert(_ token: TokenRow, digest: [UInt8]) throws { try writer.insert(token, digest: digest) }
    func deleteToken(digest: [UInt8]) throws { try writer.deleteToken(digest: digest) }
    func noteUse(ofToken digest: [UInt8], at now: Int64) throws {
        try writer.noteUse(ofToken: digest, at: now)
    }
    func insert(_ user: UserRow) throws { try writer.insert(user) }
    func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws {
        try writer.setRoles(roles, ofUserNamed: recordName, tenant: tenant)
    }
    func setDisabled(_ isDisabled: Bool, ofUserNamed recordName: String, tenant: Tenant) throws {
        try writer.setDisabled(isDisabled, ofUserNamed: recordName, tenant: tenant)
    }
    func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws {
        try writer.setLabel(label, ofUserNamed: recordName, tenant: tenant)
    }
    func deleteUser(named recordName: String, of tenant: Tenant) throws {
        try writer.deleteUser(named: recordName, of: tenant)
    }
    func store(_ account: AccountRow) throws { try writer.store(account) }
    func deleteAccount(_ id: String) throws { try writer.deleteAccount(id) }
    func store(_ credential: CredentialRow) throws { try writer.store(credential) }
    func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws {
        try writer.deleteCredential(kind, named: name)
    }
    func insert(_ link: AccountLinkRow, digest: [UInt8]) throws { try writer.insert(link, digest: digest) }
    func deleteAccountLink(digest: [UInt8]) throws { try writer.deleteAccountLink(digest: digest) }
    func deleteAccountLinks(to address: String, of account: String?) throws {
        try writer.deleteAccountLinks(to: address, of: account)
    }
    func deleteAccountLinks(expiredBefore time: Int64) throws {
        try writer.deleteAccountLinks(expiredBefore: time)
    }
    func store(_ session: SessionRow) throws { try writer.store(session) }
    func deleteSessions(ofAPIToken digest: [UInt8]) throws {
        try writer.deleteSessions(ofAPIToken: digest)
    }
    func deleteSession(_ id: String) throws { try writer.deleteSession(id) }
    func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String? {
        try writer.deleteSessions(endedBefore: time, after: id, limit: limit)
    }
    func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8]) throws {
        try writer.setSuccession(succession, expiresAt: expiresAt, ofToken: digest)
    }
    func deleteTokens(of session: String, replacedBefore time: Int64) throws {
        try writer.deleteTokens(of: session, replacedBefore: time)
    }
    func store(_ policy: SignInPolicyRow) throws { try writer.store(policy) }
    func store(_ provider: SignInProviderRow) throws { try writer.store(provider) }
    func deleteSignInProvider(named name: String, of tenant: Tenant) throws {
        try writer.deleteSignInProvider(named: name, of: tenant)
    }
    func store(_ erasure: ErasureRow) throws { try writer.store(erasure) }
    func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws {
        try writer.deleteErasure(ofUserNamed: name, in: tenant)
    }
    func store(_ subscription: SubscriptionRow) throws { try writer.store(subscription) }
    func deleteSubscription(named name: String, of user: String, in database: Int64) throws {
        try writer.deleteSubscription(named: name, of: user, in: database)
    }
    func store(_ receiver: ReceiverRow) throws { try writer.store(receiver) }
    func deleteReceiver(digest: [UInt8]) throws { try writer.deleteReceiver(digest: digest) }
    func deleteReceivers(unseenSince time: Int64, endedBefore end: Int64) throws {
        try writer.deleteReceivers(unseenSince: time, endedBefore: end)
    }
    func store(pushKey: [UInt8]?, of tenant: Tenant) throws { try writer.store(pushKey: pushKey, of: tenant) }
    func store(_ webhook: WebhookRow) throws { try writer.store(webhook) }
    func deleteWebhook(_ id: String) throws { try writer.deleteWebhook(id) }
    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch {
        try writer.watch(type, in: database, at: now)
    }
    func deleteWatches(unusedSince time: Int64) throws { try writer.deleteWatches(unusedSince: time) }
    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool {
        try writer.forgetChanges(before: time, at: now)
    }
    func keep(_ outcome: KeptOutcome, room: Int64) throws { try writer.keep(outcome, room: room) }
    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int {
        try writer.forgetKeptOutcomes(before: time, limit: limit)
    }
    func insert(_ row: OperatorRow) throws { try writer.insert(row) }
    func setReadOnly(_ isReadOnly: Bool, ofOperatorNamed name: String) throws {
        try writer.setReadOnly(isReadOnly, ofOperatorNamed: name)
    }
    func deleteOperator(named name: String) throws { try writer.deleteOperator(named: name) }
    func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws {
        try writer.insert(token, digest: digest)
    }
    func deleteOperatorToken(digest: [UInt8]) throws { try writer.deleteOperatorToken(digest: digest) }
    func deleteOperatorTokens(expiredBefore time: Int64) throws {
        try writer.deleteOperatorTokens(expiredBefore: time)
    }
    func insert(_ row: AuditRow) throws { try writer.insert(row) }
    func restore(_ rows: [StoreRow]) throws { try writer.restore(rows) }
    func markUnfinishedCopy(_ isUnfinished: Bool) throws { try writer.markUnfinishedCopy(isUnfinished) }
    func setDiscovery(_ discovery: UserDiscovery, ofUserNamed recordName: String, tenant: Tenant) throws {
        try writer.setDiscovery(discovery, ofUserNamed: recordName, tenant: tenant)
    }
}
