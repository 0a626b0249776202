/// A city of the world: where it is, and how its people are called and write.
struct City: Sendable {
    /// The name in English, and in the city's own language.
    let name: String
    let localName: String
    /// Degrees of its centre.
    let latitude: Double
    let longitude: Double
    /// The beginning of its telephone numbers.
    let phone: String
    /// Its names and sentences.
    let culture: Culture

    init(_ row: CityRow, _ culture: Culture) {
        name = row.name
        localName = row.localName ?? row.name
        latitude = row.latitude
        longitude = row.longitude
        phone = row.phone
        self.culture = culture
    }
}

/// A city as cities.json has it.
struct CityRow: Decodable {
    var name: String
    /// Nil where it is the English one.
    var localName: String?
    var latitude: Double
    var longitude: Double
    var phone: String
    /// The names of its people in names.json, and the file of their sentences.
    var names: String
    var sentences: String

    /// What is wrong with it; nil where nothing is.
    var fault: String? {
        guard !name.isEmpty, !phone.isEmpty else { return "'name' or 'phone' is empty" }
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            return "'latitude' or 'longitude' is not on the globe"
        }
        return nil
    }
}
