/// Operators and what lets them into the console.
extension Catalogue {
    package static let operators = StoreTable<OperatorRow>(
        "operator", key: 1,
        [.init("name", \.name), .init("created_at", \.createdAt), .init("read_only", \.isReadOnly)],
        blank: OperatorRow(name: "", createdAt: 0))

    package static let operatorTokens = StoreTable<DigestedOperatorToken>(
        "operator_token", key: 1,
        [
            .init("digest", \.digest), .init("kind", \.token.kind), .init("operator", \.token.operatorName),
            .init("created_at", \.token.createdAt), .init("expires_at", \.token.expiresAt),
        ],
        blank: DigestedOperatorToken(
            digest: [],
            token: OperatorTokenRow(kind: .secret, operatorName: "", createdAt: 0, expiresAt: nil)))
}

/// An operator's token with the digest by which it is found.
package struct DigestedOperatorToken: Hashable, Sendable {
    package var digest: [UInt8]
    package var token: OperatorTokenRow

    package init(digest: [UInt8], token: OperatorTokenRow) {
        self.digest = digest
        self.token = token
    }
}

extension StoreReader {
    /// The operators by name.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func operators() throws -> [OperatorRow] {
        try rows(of: Catalogue.operators, TableQuery(order: ["name"]))
    }

    /// The operator's token of the given digest.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func operatorToken(digest: [UInt8]) throws -> OperatorTokenRow? {
        try row(of: Catalogue.operatorTokens, where: TableCondition("digest", .equal, digest))?.token
    }

    /// What lets an operator in, the oldest first.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func operatorTokens(of name: String) throws -> [OperatorTokenRow] {
        try digestedTokens(ofOperator: name).map(\.token)
    }

    /// What lets an operator in, with the digests.
    package func digestedTokens(ofOperator name: String) throws -> [DigestedOperatorToken] {
        try rows(
            of: Catalogue.operatorTokens,
            TableQuery([TableCondition("operator", .equal, name)], order: ["created_at", "digest"]))
    }
}

extension StoreWriter {
    /// Stores an operator, whose name must be free.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ row: OperatorRow) throws { try insert(row, into: Catalogue.operators) }

    /// Says whether an operator who exists may change things. Sessions stay.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func setReadOnly(_ isReadOnly: Bool, ofOperatorNamed name: String) throws {
        try update(
            Catalogue.operators, set: [("read_only", isReadOnly)],
            where: TableCondition("name", .equal, name))
    }

    /// Forgets an operator with all tokens.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteOperator(named name: String) throws {
        try remove(from: Catalogue.operatorTokens, where: TableCondition("operator", .equal, name))
        try remove(from: Catalogue.operators, where: TableCondition("name", .equal, name))
    }

    /// Stores an operator's token.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws {
        try insert(DigestedOperatorToken(digest: digest, token: token), into: Catalogue.operatorTokens)
    }

    /// Forgets an operator's token.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteOperatorToken(digest: [UInt8]) throws {
        try remove(from: Catalogue.operatorTokens, where: TableCondition("digest", .equal, digest))
    }

    /// Forgets the operators' tokens that ended before a time in milliseconds.
    ///
    /// - Throws: ``StorageError`` where they cannot be forgotten.
    public func deleteOperatorTokens(expiredBefore time: Int64) throws {
        try remove(from: Catalogue.operatorTokens, where: TableCondition("expires_at", .less, time))
    }
}
