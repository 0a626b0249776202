import RecordWire

extension DemoData {
    /// A picture of what a restaurant is known for, as a PNG of 560 by 420 pixels and some 15 KB; empty where the
    /// files have none.
    ///
    /// It follows from the seed and the number, as the record does. Restaurants share pictures.
    ///
    /// - Parameter index: the restaurant's number, from 0.
    public func picture(ofRestaurant index: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed, stream: 4, index: index)
        let type = restaurant(index).fields.first { $0.name == "type" }
        let dishes = files.dishes[type?.field.value.string ?? ""] ?? []
        let pictures = files.pictures[random.pick(dishes)] ?? []
        return pictures.isEmpty ? [] : pictures[random.below(pictures.count)]
    }
}
