extension Culture {
    /// German names and sentences.
    static let german = Culture(
        given: [
            "Anna", "Lukas", "Lena", "Jonas", "Mia", "Felix", "Hannah", "Paul", "Greta", "Maximilian",
            "Johanna", "Leon", "Frieda", "Moritz", "Käthe", "Jürgen", "Sören", "Björn", "Ida", "Emil",
        ],
        family: [
            "Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Wagner", "Becker", "Schulz",
            "Hoffmann", "Schäfer", "Koch", "Bauer", "Richter", "Klein", "Wolf", "Schröder", "Neumann",
            "Krüger", "Groß", "Weiß",
        ],
        bio: [
            "Seit {year} stehe ich fast jeden Samstag auf dem Platz.",
            "Unter der Woche baue ich Brücken, am Wochenende Spielzüge.",
            "In {city} habe ich einen Verein gefunden, der sich wie zu Hause anfühlt.",
            "Ich trainiere {n} Kinder und lerne dabei mehr als sie.",
            "Nach dem Kreuzbandriss habe ich wieder ganz von vorn angefangen.",
            "Man sagt, ich sei stur; ich nenne es Ausdauer.",
            "Mein größter Erfolg war ein Unentschieden in der letzten Minute.",
            "Regen stört mich nicht, schlechte Laune schon.",
        ],
        titles: [
            "Was {n} Wochen Frühtraining bringen", "Ein verregnetes Derby in {city}", "Torwart gesucht",
            "Warum wir verloren haben", "Danke, {city}!",
        ],
        posts: [
            "Nach zehn Minuten lagen wir zwei Tore zurück, und keiner glaubte mehr an uns.",
            "Der Platz stand unter Wasser, aber der Schiedsrichter zuckte nur mit den Schultern.",
            "Zu {n} saßen wir danach beim Bäcker und redeten bis zum Abend.",
            "Wer dienstags Zeit hat, ist herzlich eingeladen.",
            "Ich habe mir die Aufnahme {n} Mal angesehen und verstehe den Pass immer noch nicht.",
            "Kleine Schritte, jeden Tag: Mehr ist es nicht.",
        ],
        restaurants: [
            "Gasthaus {family}", "Zur alten Mühle {n}", "Café {given}", "Brauhaus {city}",
        ],
        cuisines: [
            "Café", "Brauhaus", "Bäckerei", "Fischrestaurant", "Vegetarisch",
        ],
        descriptions: [
            "Eine kleine Stube mit {n} Tischen, seit {year} in der Hand der Familie {family}.",
            "Die Karte wechselt jede Woche mit dem Markt von {city}.",
            "Der Kuchen kommt morgens aus dem eigenen Ofen.",
            "Im Sommer sitzt man im Hof unter der Linde.",
        ],
        streets: [
            "Hauptstraße", "Bahnhofstraße", "Lindenallee", "Mühlweg", "Schloßstraße",
        ])
}
