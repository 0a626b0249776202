/// How many of something the clients have, by address and by the network around it.
struct ClientCounts {
    private var byAddress: [ClientAddress: Int] = [:]
    private var byNetwork: [ClientNetwork: Int] = [:]

    /// How many an address has.
    subscript(address: ClientAddress) -> Int { byAddress[address, default: 0] }

    /// How many all addresses of a network have.
    subscript(network: ClientNetwork) -> Int { byNetwork[network, default: 0] }

    /// Counts one more.
    mutating func add(_ address: ClientAddress) {
        byAddress[address, default: 0] += 1
        byNetwork[address.network, default: 0] += 1
    }

    /// Counts one less.
    mutating func remove(_ address: ClientAddress) {
        Self.take(address, from: &byAddress)
        Self.take(address.network, from: &byNetwork)
    }

    private static func take<Key>(_ key: Key, from counts: inout [Key: Int]) {
        let left = counts[key, default: 0] - 1
        assert(left >= 0, "what was never counted is not taken away")
        counts[key] = left > 0 ? left : nil
    }
}
