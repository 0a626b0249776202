public import RecordEngine
import RecordModel
public import RecordStorage

/// Makes and removes operators: for the command line and the first start.
public enum Operators {
    /// How long a link lets in, in milliseconds.
    public static let linkMilliseconds: Int64 = 24 * 3_600_000

    /// Makes an operator.
    ///
    /// - Parameters:
    ///   - name: the name, which nobody has yet.
    ///   - isReadOnly: whether the operator may look at everything and change nothing.
    ///   - store: where operators are kept.
    ///   - environment: the clock and the source of randomness.
    /// - Returns: the secret, which is shown once: the store keeps its digest.
    /// - Throws: `EXISTS` for a name that is taken, `BAD_REQUEST` for one that is not a name.
    public static func add(
        _ name: String, isReadOnly: Bool = false, to store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> String {
        try Names.checkIdentifier(name, what: "operator name")
        let secret = AccessToken.make(random: environment.random(32))
        let now = environment.now()
        try await store.write { store in
            guard try !store.operators().contains(where: { $0.name == name }) else {
                throw ServiceError(
                    .exists, "An operator '\(name)' already exists.",
                    remedy: "Choose another name, or make a link: stratus operator link \(name)")
            }
            try store.insert(OperatorRow(name: name, createdAt: now, isReadOnly: isReadOnly))
            try store.insert(
                OperatorTokenRow(kind: .secret, operatorName: name, createdAt: now, expiresAt: nil),
                digest: AccessToken.digest(secret))
        }
        return secret
    }

    /// Makes the operator whom the start of a server needs where there is none, without a way in: a link or a secret
    /// is made for whoever is known to be the server's owner.
    ///
    /// - Returns: who may be the first to sign in; nil where somebody has.
    /// - Throws: `StorageError` where the store cannot be read or written.
    public static func makeFirst(
        _ name: String, in store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> String? {
        let now = environment.now()
        return try await store.write { store in
            if try store.operators().isEmpty { try store.insert(OperatorRow(name: name, createdAt: now)) }
            return try awaited(store)
        }
    }

    /// The operator who was made at the first start, while nobody has signed in yet; nil afterwards.
    static func awaited(in store: any RecordStore) async throws -> String? {
        try await store.read(.short) { try awaited($0) }
    }

    private static func awaited(_ store: any StoreReader) throws -> String? {
        let operators = try store.operators()
        guard let name = operators.first?.name, operators.count == 1 else { return nil }
        return try store.operatorTokens(of: name).allSatisfy { [.link, .ticket].contains($0.kind) }
            ? name : nil
    }

    /// Makes a code that lets an operator in once, for ``linkMilliseconds``.
    ///
    /// - Returns: the path of the link below the server's address.
    /// - Throws: `NOT_FOUND` where there is no operator of that name.
    public static func link(
        for name: String, in store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> String {
        let code = AccessToken.make(random: environment.random(32))
        let now = environment.now()
        try await store.write { store in
            guard try store.operators().contains(where: { $0.name == name }) else {
                throw ServiceError(
                    .notFound, "There is no operator '\(name)'.",
                    remedy: "'stratus operator list' shows them, 'stratus operator add' makes one.")
            }
            try store.insert(
                OperatorTokenRow(
                    kind: .link, operatorName: name, createdAt: now, expiresAt: now + linkMilliseconds),
                digest: AccessToken.digest(code))
        }
        return "/console/enter/\(code)"
    }

    /// Says whether an operator may change things. It counts at once, in open sessions too.
    ///
    /// - Throws: `NOT_FOUND` where there is no operator of that name, `BAD_REQUEST` for the only one who may change things.
    public static func setReadOnly(
        _ isReadOnly: Bool, _ name: String, in store: any RecordStore
    ) async throws {
        try await store.write { store in
            let all = try store.operators()
            guard all.contains(where: { $0.name == name }) else {
                throw ServiceError(
                    .notFound, "There is no operator '\(name)'.",
                    remedy: "'stratus operator list' shows them, 'stratus operator add' makes one.")
            }
            guard !isReadOnly || all.contains(where: { $0.name != name && !$0.isReadOnly }) else {
                throw ServiceError(
                    .badRequest, "'\(name)' is the only operator who may change things.",
                    remedy: "Make another first: stratus operator add NAME")
            }
            try store.setReadOnly(isReadOnly, ofOperatorNamed: name)
        }
    }

    /// Whether nobody who may change things is left without an operator.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public static func isOnlyOne(_ name: String, in store: any RecordStore) async throws -> Bool {
        try await store.read(.short) { isOnlyOne(name, of: try $0.operators()) }
    }

    private static func isOnlyOne(_ name: String, of all: [OperatorRow]) -> Bool {
        all.contains { $0.name == name && (!$0.isReadOnly || all.count == 1) }
            && all.allSatisfy { $0.name == name || $0.isReadOnly }
    }

    /// Removes an operator and ends all sessions of theirs.
    ///
    /// - Parameters:
    ///   - name: whom to remove.
    ///   - store: where operators are kept.
    ///   - evenOnlyOne: whether the only operator may be removed, after whom nobody can enter.
    /// - Throws: `NOT_FOUND` where there is no operator of that name, `BAD_REQUEST` for the only one.
    public static func remove(
        _ name: String, from store: any RecordStore, evenOnlyOne: Bool = false
    ) async throws {
        try await store.write { store in
            let all = try store.operators()
            guard all.contains(where: { $0.name == name }) else {
                throw ServiceError(.notFound, "There is no operator '\(name)'.")
            }
            guard evenOnlyOne || !isOnlyOne(name, of: all) else {
                throw ServiceError(
                    .badRequest,
                    all.count == 1
                        ? "'\(name)' is the only operator: nobody could enter the console."
                        : "'\(name)' is the only operator who may change things; the others may only look.",
                    remedy: "Make another first: stratus operator add NAME. "
                        + "If nobody should enter: stratus operator remove \(name) --yes")
            }
            try store.deleteOperator(named: name)
        }
    }
}
