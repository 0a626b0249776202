/// How many records of each type the demo has.
struct DemoSize: Sendable, Equatable {
    var players: Int
    var posts: Int
    var restaurants: Int

    static let mostPlayers = 10_000_000
    static let mostPosts = mostPlayers / 2 * 3
    static let mostRestaurants = 100_000

    /// What a demo has where nobody says otherwise.
    static let standard = DemoSize(players: 20_000, restaurants: 500)
    /// What is there within seconds, also in a debug build.
    static let quick = DemoSize(players: 1_000, restaurants: 50)

    /// Without a number of their own there are three posts for every two players.
    init(players: Int, posts: Int? = nil, restaurants: Int) {
        self.players = players
        self.posts = posts ?? min(max(0, players), Self.mostPlayers) / 2 * 3
        self.restaurants = restaurants
    }

    /// What is wrong with the numbers, in a sentence; nil where they can be.
    var fault: String? {
        guard (1...Self.mostPlayers).contains(players) else {
            return "--players must be 1 to \(Self.mostPlayers)."
        }
        guard (0...Self.mostPosts).contains(posts) else { return "--posts must be 0 to \(Self.mostPosts)." }
        guard (0...Self.mostRestaurants).contains(restaurants) else {
            return "--restaurants must be 0 to \(Self.mostRestaurants)."
        }
        return nil
    }
}
