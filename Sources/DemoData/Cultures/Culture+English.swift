extension Culture {
    /// English names and sentences.
    static let english = Culture(
        given: [
            "Olivia", "James", "Amelia", "Jack", "Isla", "Harry", "Emily", "Noah", "Grace", "Liam",
            "Sophie", "Ethan", "Chloe", "Lucas", "Ruby", "Mason", "Hannah", "Logan", "Alice", "Owen",
        ],
        family: [
            "Smith", "Jones", "Taylor", "Brown", "Wilson", "Evans", "Walker", "Wright", "Hughes",
            "Green", "Clarke", "Harris", "Cooper", "Ward", "Turner", "Morgan", "Baker", "Reed", "Murphy",
            "Bennett",
        ],
        bio: [
            "I have been playing since {year} and still turn up early for every practice.",
            "Most evenings you will find me on the courts of {city}, rain or shine.",
            "I coach a youth team of {n} children on weekends, and they teach me patience.",
            "My first club folded, so a few friends and I started our own.",
            "I work as a nurse on night shifts, which makes me value every free morning.",
            "People say that I talk too much on the pitch; I call it leadership.",
            "I moved to {city} in {year} and found my best friends through the game.",
            "After an injury I learned to play smarter instead of harder.",
            "I keep a notebook with every match since {year}, wins and losses alike.",
        ],
        titles: [
            "What {n} weeks of early training taught me", "A rainy derby in {city}",
            "Looking for a goalkeeper in {city}", "Why we lost, and why I do not mind",
            "My new boots after {n} matches", "Thank you, {city}",
        ],
        posts: [
            "We were two down after ten minutes and nobody believed in us any more.",
            "The pitch was half under water, but the referee only shrugged.",
            "{n} of us went for pancakes afterwards, still in our muddy socks.",
            "If you have a free Tuesday evening, come and join us.",
            "I have watched the recording {n} times and still cannot explain that pass.",
            "Next month we travel to the coast, and the bus still has {n} seats.",
            "Small steps, every day: that is the whole secret.",
        ],
        restaurants: [
            "The {family} Arms", "{given}'s Kitchen", "Harbour {n}", "{family} & Daughters",
            "The Quiet Fork",
        ],
        cuisines: [
            "Coffee & Tea Shop", "Gastropub", "Bakery", "Seafood", "Breakfast and Brunch",
        ],
        descriptions: [
            "A small room with {n} tables, run by the {family} family since {year}.",
            "The menu changes every week with what the market in {city} has.",
            "Come early for the pies; they are gone by one o'clock.",
            "Our coffee is roasted two streets away, on Mondays and Thursdays.",
        ],
        streets: [
            "High Street", "Station Road", "Mill Lane", "Church Road", "Bridge Street",
        ])
}
