extension Culture {
    /// Turkish names and sentences.
    static let turkish = Culture(
        given: [
            "Zeynep", "Mehmet", "Elif", "Mustafa", "Ayşe", "Emre", "Defne", "Can", "Özge", "Burak",
            "Şule", "Çağlar", "İrem", "Gökhan", "Nazlı", "Ümit", "Tuğba", "Kerem", "Işıl", "Oğuz",
        ],
        family: [
            "Yılmaz", "Kaya", "Demir", "Çelik", "Şahin", "Yıldız", "Öztürk", "Aydın", "Özdemir",
            "Arslan", "Doğan", "Kılıç", "Aslan", "Çetin", "Koç", "Güneş", "Şimşek", "Erdoğan", "Ünal",
            "Tekin",
        ],
        bio: [
            "{year} yılından beri her hafta sonu sahadayım.",
            "Akşamları beni {city} merkezindeki sahalarda bulabilirsiniz.",
            "Mahallede {n} çocuğa antrenörlük yapıyorum, onlar da bana sabrı öğretiyor.",
            "Oynamayı sokakta, iki taş arasındaki kalede öğrendim.",
            "Sakatlıktan sonra koşmadan önce düşünmeyi öğrendim.",
            "Gece vardiyasında çalışıyorum, bu yüzden sabahların değerini bilirim.",
            "Takımdaki en eski arkadaşımı ilkokuldan tanırım.",
            "Yağmur beni durdurmaz, çay molası durdurur.",
        ],
        titles: [
            "{n} haftada öğrendiklerim", "{city} derbisi", "Kaleci aranıyor", "Neden kaybettik",
            "Teşekkürler {city}",
        ],
        posts: [
            "İlk on dakikada iki gol yedik, kimse bize inanmıyordu.",
            "Saha çamur içindeydi ama hakem maçı başlattı.",
            "Maçtan sonra {n} kişi çay içmeye gittik.",
            "Salı akşamı boş olan herkes gelsin.",
            "Videoyu {n} kez izledim, o pası hâlâ anlamadım.",
            "Gelecek ay sahile gidiyoruz, {n} kişilik yerimiz var.",
        ],
        restaurants: [
            "{family} Lokantası", "{given} Usta", "Köşe Kahvesi {n}", "{city} Sofrası",
        ],
        cuisines: [
            "Kebapçı", "Balık lokantası", "Kahvaltı salonu", "Pastane", "Meyhane",
        ],
        descriptions: [
            "{year} yılından beri {family} ailesinin işlettiği {n} masalı küçük bir yer.",
            "Menü her hafta {city} pazarına göre değişir.",
            "Ekmek sabah altıda fırından çıkar.",
            "Yazın avluda, asmanın altında oturulur.",
        ],
        streets: [
            "Atatürk Caddesi", "İstasyon Sokağı", "Çınar Sokak", "Liman Caddesi", "Gül Sokağı",
        ])
}
