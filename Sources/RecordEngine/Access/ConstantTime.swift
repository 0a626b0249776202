/// Comparing secrets.
public enum ConstantTime {
    /// Whether two secrets are the same, in a time that tells their lengths but not where they differ.
    public static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
