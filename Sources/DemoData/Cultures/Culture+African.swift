extension Culture {
    /// Names of West, East and South Africa; the sentences are English.
    static let african: Culture = {
        var culture = Culture.english
        culture.given = [
            "Chinedu", "Amara", "Tunde", "Ngozi", "Kwame", "Akosua", "Babatunde", "Ifeoma", "Kofi",
            "Abena", "Wanjiru", "Kamau", "Njeri", "Otieno", "Thandi", "Sipho", "Lerato", "Zanele",
            "Emeka", "Folake",
        ]
        culture.family = [
            "Okafor", "Adeyemi", "Mensah", "Owusu", "Balogun", "Eze", "Mwangi", "Odhiambo", "Nkosi",
            "Dlamini", "Boateng", "Asante", "Ibrahim", "Okonkwo", "Kariuki", "Wambui", "Mokoena",
            "Naidoo", "Adebayo", "Nwosu",
        ]
        return culture
    }()
}
