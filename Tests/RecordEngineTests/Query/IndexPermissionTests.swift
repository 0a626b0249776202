import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// Who may have an index made by asking for records.
@Suite struct IndexPermissionTests {
    private static let declared = FieldSchema(
        name: "declared", type: FieldType(.int64), indexes: [.queryable, .sortable], column: 1)
    private static let filtered = FieldSchema(
        name: "filtered", type: FieldType(.int64), indexes: .queryable, column: 2)
    private static let plain = FieldSchema(name: "plain", type: FieldType(.int64), indexes: [], column: 3)

    private static func may(
        _ caller: Caller, _ environment: CloudEnvironment, held: Column? = nil, sorted: Column? = nil,
        rules: IndexRules = .open, systemIndexes: [SystemFieldName: FieldIndexes] = [:]
    ) throws -> Bool {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: environment)
        let context = CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: nil), caller: caller, now: 0,
            requestID: "", baseURL: "", indexes: rules)
        var type = RecordType(name: "Note", id: 1, fields: [declared, filtered, plain])
        type.systemIndexes = systemIndexes
        return IndexPermission(context).mayMakeIndex(
            held.map { .compare($0, .equal, .int(1)) } ?? .constant(true),
            sorted.map { [SortKey(.column($0), ascending: true)] } ?? [], of: type)
    }

    @Test func `Operators and who may write in development may, others as far as the schema declares it`()
        throws
    {
        let (declared, filtered, plain): (Column, Column, Column) = (
            .field(Self.declared), .field(Self.filtered), .field(Self.plain)
        )
        #expect(try Self.may(.administrator("ann"), .production, sorted: plain))
        #expect(try Self.may(.user("_a"), .development, sorted: plain))
        #expect(try !Self.may(.anonymous, .development, sorted: plain))
        #expect(try !Self.may(.anonymous, .development, held: plain, sorted: declared))
        #expect(try Self.may(.anonymous, .development, held: filtered, sorted: declared))
        #expect(try Self.may(.anonymous, .production, held: filtered, sorted: declared))
        #expect(try Self.may(.user("_a"), .production, held: declared))
        #expect(try !Self.may(.user("_a"), .production, held: plain, sorted: declared))
        #expect(try !Self.may(.anonymous, .production, held: declared, sorted: filtered))
    }

    @Test func `System fields count as declared where nothing has to be declared`() throws {
        #expect(try Self.may(.anonymous, .production, sorted: .modifiedAt))
        #expect(try Self.may(.anonymous, .development, sorted: .modifiedAt, rules: .apple))
        #expect(try !Self.may(.anonymous, .production, sorted: .modifiedAt, rules: .apple))
        #expect(
            try Self.may(
                .anonymous, .production, sorted: .modifiedAt, rules: .apple,
                systemIndexes: [.modTime: .sortable]))
    }

    @Test func `A field whose index lacks values is asked for again later`() throws {
        var field = Self.declared
        field.isBeingFilled = true
        let resolver = FieldResolver(
            type: RecordType(name: "Note", id: 1, fields: [field]),
            tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .production))
        var errors = [
            #expect(throws: ServiceError.self) { try resolver.queryable("declared") },
            #expect(throws: ServiceError.self) { try resolver.sortable("declared") },
        ]
        errors.append(#expect(throws: ServiceError.self) { try resolver.queryable("declared", for: .range) })
        for error in errors { #expect(error?.code == .tryAgainLater) }
    }
}
