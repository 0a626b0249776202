/// What a user of a tenant agreed to have others find out. Another tenant's user of the same account has another.
public struct UserDiscovery: Hashable, Sendable {
    /// Whether others may find the user; nil until the user has answered.
    public var isAllowed: Bool?
    /// The given name that others see; may be empty.
    public var givenName: String
    /// The family name that others see; may be empty.
    public var familyName: String

    /// Creates it from its columns.
    public init(isAllowed: Bool? = nil, givenName: String = "", familyName: String = "") {
        self.isAllowed = isAllowed
        self.givenName = givenName
        self.familyName = familyName
    }
}
