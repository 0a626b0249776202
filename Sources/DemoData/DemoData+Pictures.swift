import RecordWire

extension DemoData {
    /// A picture of what a restaurant is known for, as a PNG of 560 by 420 pixels and some 15 KB.
    ///
    /// It follows from the seed and the number, as the record does: the same pixels on every machine.
    public func picture(ofRestaurant index: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed, stream: 4, index: index)
        let type = restaurant(index).fields.first { $0.name == "type" }
        let dish = Dish(cuisine: type?.field.value.string ?? "", &random)
        return Picture(dish, random: random).canvas.png()
    }
}
