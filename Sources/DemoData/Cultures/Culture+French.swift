extension Culture {
    /// French names and sentences.
    static let french = Culture(
        given: [
            "Camille", "Louis", "Chloé", "Hugo", "Léa", "Jules", "Manon", "Théo", "Inès", "Gabriel",
            "Zoé", "Raphaël", "Élise", "Noël", "Anaïs", "Benoît", "Margaux", "Étienne", "Clémence",
            "Loïc",
        ],
        family: [
            "Martin", "Bernard", "Dubois", "Thomas", "Robert", "Richard", "Petit", "Durand", "Leroy",
            "Moreau", "Lefèvre", "Fournier", "Girard", "Bonnet", "François", "Mercier", "Chevalier",
            "Gauthier", "Besançon", "Noël",
        ],
        bio: [
            "Je joue depuis {year} et je n'ai jamais manqué un derby.",
            "Le soir, on me trouve sur les terrains près du centre de {city}.",
            "J'entraîne {n} enfants le mercredi, et ils courent plus vite que moi.",
            "J'ai commencé dans la cour de l'école, avec une balle de tennis.",
            "Arrivé à {city} en {year}, j'ai trouvé mes amis grâce au club.",
            "Une blessure m'a appris à lire le jeu au lieu de courir partout.",
            "Je travaille dans une librairie et je lis dans le bus avant les matchs.",
            "On dit que je parle trop ; moi, j'appelle ça de l'organisation.",
        ],
        titles: [
            "Ce que {n} semaines m'ont appris", "Un derby sous la pluie à {city}",
            "On cherche un gardien", "Pourquoi nous avons perdu", "Merci à tous",
        ],
        posts: [
            "Menés de deux buts, plus personne ne croyait en nous.",
            "Le terrain était trempé, mais l'arbitre a haussé les épaules.",
            "Nous étions {n} à manger des crêpes, encore en chaussettes.",
            "Si vous êtes libre le mardi soir, venez jouer avec nous.",
            "J'ai revu la vidéo {n} fois sans comprendre cette passe.",
            "Le mois prochain, départ pour la côte : il reste {n} places.",
        ],
        restaurants: [
            "Chez {given}", "Le Comptoir {family}", "Bistrot du Marché {n}", "La Table de {city}",
        ],
        cuisines: [
            "Bistrot", "Boulangerie", "Crêperie", "Café", "Poissonnerie",
        ],
        descriptions: [
            "Une petite salle de {n} tables, tenue par la famille {family} depuis {year}.",
            "L'ardoise change chaque semaine avec le marché de {city}.",
            "Le pain sort du four à six heures.",
            "En été, on dîne dans la cour, sous la glycine.",
        ],
        streets: [
            "Rue de la Gare", "Rue Victor-Hugo", "Place du Marché", "Quai des Pêcheurs",
            "Rue des Écoles",
        ])
}
