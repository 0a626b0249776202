import Foundation

/// The same made-up players for everyone: ten attributes, one of them a text of about 200 bytes.
struct Player {
    var number: Int64
    var city: Int64
    var level: Int64
    var wins: Int64
    var rating: Double
    var height: Double
    var joined: Date
    var name: String
    var club: String
    var bio: String

    static let cities: Int64 = 100

    static func make(_ count: Int) -> [Player] {
        var chance = Chance(state: 20_260_101)
        let words = [
            "ball", "court", "team", "quick", "left", "night", "river", "early", "strong", "goal", "park",
        ]
        return (0..<count).map { number in
            var bio = ""
            while bio.utf8.count < 200 { bio += words[chance.below(words.count)] + " " }
            return Player(
                number: Int64(number), city: Int64(chance.below(Int(cities))), level: Int64(chance.below(10)),
                wins: Int64(chance.below(1_000)), rating: Double(chance.below(100_000)) / 7,
                height: 150 + Double(chance.below(60)),
                joined: Date(timeIntervalSinceReferenceDate: Double(chance.below(700_000_000)) + 0.5),
                name: "Player \(words[chance.below(words.count)]) \(number)",
                club: words[chance.below(words.count)],
                bio: bio)
        }
    }
}

/// Numbers that are the same in each run.
struct Chance {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
