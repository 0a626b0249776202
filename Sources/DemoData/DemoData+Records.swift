import RecordModel
import RecordWire

extension DemoData {
    private static let day: Int64 = 86_400_000
    private static let positions = ["goalkeeper", "defender", "midfielder", "winger", "forward"]
    /// Prime to the usual number of cities, a hundred, so that neighbours are never of one city.
    private static let cityStep = 37

    private func random(_ kind: Kind, _ index: Int) -> SplitMix64 {
        let stream: UInt64 =
            switch kind {
            case .player: 1
            case .post: 2
            case .restaurant: 3
            }
        return SplitMix64(seed: seed, stream: stream, index: index)
    }

    private func city(of index: Int) -> City { files.cities[index * Self.cityStep % files.cities.count] }

    private func slots(_ city: City, _ name: (full: String, given: String, family: String)) -> Slots {
        let year = 1970 + Int(reference / (Self.day * 365))
        return Slots(city: city.localName, year: year, given: name.given, family: name.family)
    }

    func player(_ index: Int) -> RecordInput {
        var random = random(.player, index)
        let city = city(of: index)
        let sentences = city.culture.sentences
        let name = city.culture.names.name(&random)
        let bio = sentences.text(
            sentences.bio, length: sentences.textLength, slots: slots(city, name), &random)
        // Most players are in the middle, few at the top, as the sum of two dice has it.
        let level = 1 + (random.below(50) + random.below(50))
        let rating = Double(10 + (random.below(21) + random.below(20))) / 10
        // Likes have a long tail: a few players have most of them.
        let fame = random.unit()
        let likes = Int64(fame * fame * fame * fame * 25_000)
        let joined = moment(within: 3_650, &random)
        let place = place(near: city, &random)
        return record(
            .player, index,
            [
                ("name", .string(name.full)), ("city", .string(city.name)),
                ("position", .string(Self.positions[random.below(Self.positions.count)])),
                ("level", .int64(Int64(level))), ("rating", .double(rating)), ("likes", .int64(likes)),
                ("joined", .timestamp(joined)), ("location", .location(place)), ("bio", .string(bio)),
            ])
    }

    func post(_ index: Int) -> RecordInput {
        var random = random(.post, index)
        // Posts of neighbouring numbers are by players of different cities, and every player writes at some time.
        let author = playerCount == 0 ? index : (index * 7_919 + random.below(3) * 100) % playerCount
        let city = city(of: author)
        let sentences = city.culture.sentences
        let slots = slots(city, city.culture.names.name(&random))
        let title = slots.fill(random.pick(sentences.titles), &random)
        let text = sentences.text(
            sentences.posts, length: sentences.textLength * 2 / 3, slots: slots, &random)
        let fame = random.unit()
        return record(
            .post, index,
            [
                ("title", .string(title)), ("text", .string(text)),
                ("author", .reference(Reference(recordName: Self.recordName(.player, author)))),
                ("posted", .timestamp(moment(within: 730, &random))),
                ("likes", .int64(Int64(fame * fame * fame * 900))),
            ])
    }

    func restaurant(_ index: Int) -> RecordInput {
        var random = random(.restaurant, index)
        let city = city(of: index)
        let sentences = city.culture.sentences
        let slots = slots(city, city.culture.names.name(&random))
        let name = slots.fill(random.pick(sentences.restaurants), &random)
        let street = random.pick(sentences.streets) + " \(1 + random.below(180))"
        let phone = "\(city.phone) 555 \(1_000 + random.below(9_000))"
        let description = sentences.text(
            sentences.descriptions, length: sentences.textLength * 2 / 3, slots: slots, &random)
        let summary = slots.fill(random.pick(sentences.descriptions), &random)
        return record(
            .restaurant, index,
            [
                ("name", .string(name)), ("type", .string(random.pick(sentences.cuisines))),
                ("location", .string("\(street), \(city.localName)")), ("phone", .string(phone)),
                ("description", .string(description)), ("summary", .string(summary)),
                ("rating", .double(Double(25 + random.below(26)) / 10)),
            ])
    }

    private func record(_ kind: Kind, _ index: Int, _ fields: [(String, FieldValue)]) -> RecordInput {
        var record = RecordInput(recordName: Self.recordName(kind, index), recordType: kind.rawValue)
        record.fields = fields.map { name, value in
            var wire = WireField(value)
            // A whole DOUBLE stays one: `4.0` is not an integer even without its tag.
            if case .double(let number) = value { wire.value = .double(number) }
            return (name, wire)
        }
        return record
    }

    /// A moment in the so many days before the reference.
    private func moment(within days: Int, _ random: inout SplitMix64) -> Int64 {
        reference - 1_000 - Int64(random.below(days)) * Self.day - Int64(random.below(86_400)) * 1_000
    }

    /// A place some kilometres around the centre.
    private func place(near city: City, _ random: inout SplitMix64) -> Location {
        func jitter() -> Double { (random.unit() + random.unit() - 1) * 0.12 }
        func rounded(_ degrees: Double) -> Double { (degrees * 100_000).rounded() / 100_000 }
        return Location(
            latitude: rounded(city.latitude + jitter()), longitude: rounded(city.longitude + jitter()))
    }
}
