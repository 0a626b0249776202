/// A city of the world: where it is, and how its people are called and write.
struct City: Sendable {
    /// The name in English, and in the city's own language.
    var name: String
    var localName: String
    /// Degrees of its centre.
    var latitude: Double
    var longitude: Double
    /// The beginning of its telephone numbers.
    var phone: String
    /// Its names and sentences.
    var culture: Culture

    init(
        _ name: String, _ latitude: Double, _ longitude: Double, _ culture: Culture, _ phone: String,
        local: String? = nil
    ) {
        self.name = name
        localName = local ?? name
        self.latitude = latitude
        self.longitude = longitude
        self.culture = culture
        self.phone = phone
    }
}

extension City {
    /// A hundred cities on six continents.
    static let all: [City] = [
        City("New York", 40.7128, -74.0060, .english, "+1 212"),
        City("Los Angeles", 34.0522, -118.2437, .english, "+1 213"),
        City("Chicago", 41.8781, -87.6298, .english, "+1 312"),
        City("Toronto", 43.6532, -79.3832, .english, "+1 416"),
        City("Vancouver", 49.2827, -123.1207, .english, "+1 604"),
        City("London", 51.5074, -0.1278, .english, "+44 20"),
        City("Manchester", 53.4808, -2.2426, .english, "+44 161"),
        City("Glasgow", 55.8642, -4.2518, .english, "+44 141"),
        City("Dublin", 53.3498, -6.2603, .english, "+353 1"),
        City("Sydney", -33.8688, 151.2093, .english, "+61 2"),
        City("Melbourne", -37.8136, 144.9631, .english, "+61 3"),
        City("Auckland", -36.8485, 174.7633, .english, "+64 9"),
        City("Wellington", -41.2866, 174.7756, .english, "+64 4"),
        City("Lagos", 6.5244, 3.3792, .african, "+234 1"),
        City("Abuja", 9.0765, 7.3986, .african, "+234 9"),
        City("Accra", 5.6037, -0.1870, .african, "+233 30"),
        City("Nairobi", -1.2921, 36.8219, .african, "+254 20"),
        City("Cape Town", -33.9249, 18.4241, .african, "+27 21"),
        City("Johannesburg", -26.2041, 28.0473, .african, "+27 11"),
        City("Kampala", 0.3476, 32.5825, .african, "+256 41"),
        City("Madrid", 40.4168, -3.7038, .spanish, "+34 91"),
        City("Barcelona", 41.3874, 2.1686, .spanish, "+34 93"),
        City("Seville", 37.3891, -5.9845, .spanish, "+34 95"),
        City("Mexico City", 19.4326, -99.1332, .spanish, "+52 55"),
        City("Guadalajara", 20.6597, -103.3496, .spanish, "+52 33"),
        City("Bogotá", 4.7110, -74.0721, .spanish, "+57 1"),
        City("Medellín", 6.2442, -75.5812, .spanish, "+57 4"),
        City("Lima", -12.0464, -77.0428, .spanish, "+51 1"),
        City("Santiago", -33.4489, -70.6693, .spanish, "+56 2"),
        City("Buenos Aires", -34.6037, -58.3816, .spanish, "+54 11"),
        City("Córdoba", -31.4201, -64.1888, .spanish, "+54 351"),
        City("Montevideo", -34.9011, -56.1645, .spanish, "+598 2"),
        City("Berlin", 52.5200, 13.4050, .german, "+49 30"),
        City("Hamburg", 53.5511, 9.9937, .german, "+49 40"),
        City("Munich", 48.1351, 11.5820, .german, "+49 89"),
        City("Cologne", 50.9375, 6.9603, .german, "+49 221"),
        City("Leipzig", 51.3397, 12.3731, .german, "+49 341"),
        City("Vienna", 48.2082, 16.3738, .german, "+43 1"),
        City("Graz", 47.0707, 15.4395, .german, "+43 316"),
        City("Zurich", 47.3769, 8.5417, .german, "+41 44"),
        City("Paris", 48.8566, 2.3522, .french, "+33 1"),
        City("Lyon", 45.7640, 4.8357, .french, "+33 4"),
        City("Marseille", 43.2965, 5.3698, .french, "+33 4"),
        City("Lille", 50.6292, 3.0573, .french, "+33 3"),
        City("Brussels", 50.8503, 4.3517, .french, "+32 2"),
        City("Geneva", 46.2044, 6.1432, .french, "+41 22"),
        City("Montreal", 45.5017, -73.5673, .french, "+1 514"),
        City("Lisbon", 38.7223, -9.1393, .portuguese, "+351 21"),
        City("Porto", 41.1579, -8.6291, .portuguese, "+351 22"),
        City("São Paulo", -23.5505, -46.6333, .portuguese, "+55 11"),
        City("Rio de Janeiro", -22.9068, -43.1729, .portuguese, "+55 21"),
        City("Salvador", -12.9777, -38.5016, .portuguese, "+55 71"),
        City("Recife", -8.0476, -34.8770, .portuguese, "+55 81"),
        City("Curitiba", -25.4284, -49.2733, .portuguese, "+55 41"),
        City("Luanda", -8.8390, 13.2894, .portuguese, "+244 222"),
        City("Istanbul", 41.0082, 28.9784, .turkish, "+90 212", local: "İstanbul"),
        City("Ankara", 39.9334, 32.8597, .turkish, "+90 312"),
        City("Izmir", 38.4237, 27.1428, .turkish, "+90 232", local: "İzmir"),
        City("Bursa", 40.1885, 29.0610, .turkish, "+90 224"),
        City("Antalya", 36.8969, 30.7133, .turkish, "+90 242"),
        City("Cairo", 30.0444, 31.2357, .arabic, "+20 2", local: "القاهرة"),
        City("Alexandria", 31.2001, 29.9187, .arabic, "+20 3", local: "الإسكندرية"),
        City("Casablanca", 33.5731, -7.5898, .arabic, "+212 522", local: "الدار البيضاء"),
        City("Tunis", 36.8065, 10.1815, .arabic, "+216 71", local: "تونس"),
        City("Amman", 31.9539, 35.9106, .arabic, "+962 6", local: "عمّان"),
        City("Beirut", 33.8938, 35.5018, .arabic, "+961 1", local: "بيروت"),
        City("Riyadh", 24.7136, 46.6753, .arabic, "+966 11", local: "الرياض"),
        City("Dubai", 25.2048, 55.2708, .arabic, "+971 4", local: "دبي"),
        City("Baghdad", 33.3152, 44.3661, .arabic, "+964 1", local: "بغداد"),
        City("Mumbai", 19.0760, 72.8777, .hindi, "+91 22", local: "मुंबई"),
        City("Delhi", 28.7041, 77.1025, .hindi, "+91 11", local: "दिल्ली"),
        City("Bengaluru", 12.9716, 77.5946, .hindi, "+91 80", local: "बेंगलुरु"),
        City("Kolkata", 22.5726, 88.3639, .hindi, "+91 33", local: "कोलकाता"),
        City("Chennai", 13.0827, 80.2707, .hindi, "+91 44", local: "चेन्नई"),
        City("Jaipur", 26.9124, 75.7873, .hindi, "+91 141", local: "जयपुर"),
        City("Pune", 18.5204, 73.8567, .hindi, "+91 20", local: "पुणे"),
        City("Lucknow", 26.8467, 80.9462, .hindi, "+91 522", local: "लखनऊ"),
        City("Beijing", 39.9042, 116.4074, .chinese, "+86 10", local: "北京"),
        City("Shanghai", 31.2304, 121.4737, .chinese, "+86 21", local: "上海"),
        City("Guangzhou", 23.1291, 113.2644, .chinese, "+86 20", local: "广州"),
        City("Chengdu", 30.5728, 104.0668, .chinese, "+86 28", local: "成都"),
        City("Wuhan", 30.5928, 114.3055, .chinese, "+86 27", local: "武汉"),
        City("Xi'an", 34.3416, 108.9398, .chinese, "+86 29", local: "西安"),
        City("Taipei", 25.0330, 121.5654, .chinese, "+886 2", local: "台北"),
        City("Singapore", 1.3521, 103.8198, .chinese, "+65 6", local: "新加坡"),
        City("Tokyo", 35.6762, 139.6503, .japanese, "+81 3", local: "東京"),
        City("Osaka", 34.6937, 135.5023, .japanese, "+81 6", local: "大阪"),
        City("Kyoto", 35.0116, 135.7681, .japanese, "+81 75", local: "京都"),
        City("Sapporo", 43.0618, 141.3545, .japanese, "+81 11", local: "札幌"),
        City("Fukuoka", 33.5904, 130.4017, .japanese, "+81 92", local: "福岡"),
        City("Nagoya", 35.1815, 136.9066, .japanese, "+81 52", local: "名古屋"),
        City("Seoul", 37.5665, 126.9780, .korean, "+82 2", local: "서울"),
        City("Busan", 35.1796, 129.0756, .korean, "+82 51", local: "부산"),
        City("Incheon", 37.4563, 126.7052, .korean, "+82 32", local: "인천"),
        City("Daegu", 35.8714, 128.6014, .korean, "+82 53", local: "대구"),
        City("Hanoi", 21.0278, 105.8342, .vietnamese, "+84 24", local: "Hà Nội"),
        City("Ho Chi Minh City", 10.8231, 106.6297, .vietnamese, "+84 28", local: "Thành phố Hồ Chí Minh"),
        City("Da Nang", 16.0544, 108.2022, .vietnamese, "+84 236", local: "Đà Nẵng"),
        City("Hai Phong", 20.8449, 106.6881, .vietnamese, "+84 225", local: "Hải Phòng"),
        City("Hue", 16.4637, 107.5909, .vietnamese, "+84 234", local: "Huế"),
    ]
}
