/// What a restaurant is pictured by.
enum Dish: String, CaseIterable, Sendable {
    case coffee, tea, bread, pretzel, cake, sweets, crepe, tarts
    case breakfast, salad, burger, steak, tapas, tacos, paella
    case fish, prawns, skewers, noodles, sushi, dimSum, hotpot, bibimbap, rolls, ricePlate, sandwich
    case curry, dosa

    /// What the kinds of restaurants of ``Culture`` are known for.
    static let ofCuisine: [String: [Dish]] = [
        "Coffee & Tea Shop": [.coffee, .tea], "Gastropub": [.burger, .steak, .pretzel],
        "Bakery": [.bread, .tarts],
        "Seafood": [.fish, .prawns], "Breakfast and Brunch": [.breakfast, .crepe],
        "Bistrot": [.steak, .salad, .tapas], "Boulangerie": [.bread, .tarts], "Crêperie": [.crepe],
        "Café": [.coffee, .cake], "Poissonnerie": [.fish, .prawns],
        "Brauhaus": [.pretzel], "Bäckerei": [.bread, .pretzel], "Fischrestaurant": [.fish],
        "Vegetarisch": [.salad, .bibimbap],
        "Tapas": [.tapas], "Marisquería": [.paella, .prawns], "Asador": [.steak, .skewers],
        "Taquería": [.tacos],
        "Churrascaria": [.skewers, .steak], "Padaria": [.tarts, .bread], "Marisqueira": [.prawns, .fish],
        "Petiscos": [.tapas],
        "Kebapçı": [.skewers], "Balık lokantası": [.fish], "Kahvaltı salonu": [.breakfast],
        "Pastane": [.cake, .tarts], "Meyhane": [.tapas, .fish],
        "مشويات": [.skewers], "مأكولات بحرية": [.fish, .prawns], "مقهى": [.coffee, .tea], "مخبز": [.bread],
        "فطور شعبي": [.breakfast, .tapas],
        "ढाबा": [.curry], "मिठाई की दुकान": [.sweets], "दक्षिण भारतीय": [.dosa], "चाय और नाश्ता": [.tea, .sweets],
        "शाकाहारी": [.curry, .dosa],
        "川菜": [.hotpot, .noodles], "粤菜": [.dimSum], "茶馆": [.tea], "面馆": [.noodles], "火锅": [.hotpot],
        "ラーメン": [.noodles], "寿司": [.sushi], "喫茶店": [.coffee, .cake], "居酒屋": [.skewers, .sushi],
        "定食": [.ricePlate, .bibimbap],
        "한식": [.bibimbap], "분식": [.rolls], "카페": [.coffee, .cake], "횟집": [.sushi, .fish],
        "빵집": [.bread, .tarts],
        "Phở": [.noodles], "Hải sản": [.prawns, .fish], "Cà phê": [.coffee], "Cơm tấm": [.ricePlate],
        "Bánh mì": [.sandwich],
    ]

    /// The dish of one restaurant of a kind; a kind that is not known gets some dish.
    init(cuisine: String, _ random: inout SplitMix64) {
        let dishes = Self.ofCuisine[cuisine] ?? Self.allCases
        self = dishes[random.below(dishes.count)]
    }
}

extension Picture {
    mutating func draw(_ dish: Dish) {
        switch dish {
        case .coffee: drawCoffee()
        case .tea: drawTea()
        case .bread: drawBread()
        case .pretzel: drawPretzel()
        case .cake: drawCake()
        case .sweets: drawSweets()
        case .crepe: drawCrepe()
        case .tarts: drawTarts()
        case .breakfast: drawBreakfast()
        case .salad: drawSalad()
        case .burger: drawBurger()
        case .steak: drawSteak()
        case .tapas: drawTapas()
        case .tacos: drawTacos()
        case .paella: drawPaella()
        case .fish: drawFish()
        case .prawns: drawPrawns()
        case .skewers: drawSkewers()
        case .noodles: drawNoodles()
        case .sushi: drawSushi()
        case .dimSum: drawDimSum()
        case .hotpot: drawHotpot()
        case .bibimbap: drawBibimbap()
        case .rolls: drawRolls()
        case .ricePlate: drawRicePlate()
        case .sandwich: drawSandwich()
        case .curry: drawCurry()
        case .dosa: drawDosa()
        }
    }
}
