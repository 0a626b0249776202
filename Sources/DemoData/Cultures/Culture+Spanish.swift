extension Culture {
    /// Spanish names and sentences.
    static let spanish = Culture(
        given: [
            "Lucía", "Mateo", "Sofía", "Santiago", "Valentina", "Diego", "Camila", "Javier", "Martina",
            "Álvaro", "Carmen", "Andrés", "Paula", "Joaquín", "Elena", "Tomás", "Ximena", "Emilio",
            "Noelia", "Íñigo",
        ],
        family: [
            "García", "Fernández", "López", "Martínez", "Sánchez", "Pérez", "Gómez", "Ruiz", "Díaz",
            "Muñoz", "Álvarez", "Romero", "Navarro", "Torres", "Domínguez", "Vázquez", "Ramos", "Castro",
            "Ortega", "Núñez",
        ],
        bio: [
            "Juego desde {year} y todavía me pongo nervioso antes de cada partido.",
            "Entreno tres tardes por semana en un campo cerca del centro de {city}.",
            "Los domingos enseño a {n} niños del barrio, y casi siempre me ganan ellos.",
            "Aprendí a jugar en la calle, con dos mochilas como portería.",
            "Llegué a {city} en {year} y el equipo fue mi primera familia aquí.",
            "Después de una lesión aprendí a pensar antes de correr.",
            "Mi abuela no se pierde ningún partido y critica más que el entrenador.",
            "Trabajo en una panadería, así que madrugar no me cuesta nada.",
        ],
        titles: [
            "Lo que aprendí en {n} semanas", "Un domingo perfecto en {city}",
            "Buscamos portero en {city}", "Perdimos, y no pasa nada", "Gracias a toda la afición",
        ],
        posts: [
            "Íbamos perdiendo por dos y nadie daba ya un euro por nosotros.",
            "El campo estaba lleno de charcos, pero jugamos igual.",
            "Después fuimos {n} a comer tortilla, todavía con las botas puestas.",
            "Si tienes libre el martes por la tarde, vente.",
            "He visto el vídeo {n} veces y sigo sin entender ese gol.",
            "El mes que viene viajamos a la costa y quedan {n} plazas.",
        ],
        restaurants: [
            "Casa {family}", "La Mesa de {given}", "Bar Central {n}", "El Rincón de {city}",
        ],
        cuisines: [
            "Tapas", "Marisquería", "Café", "Asador", "Taquería",
        ],
        descriptions: [
            "Cocina de mercado con {n} mesas y mucha calma.",
            "La familia {family} cocina aquí desde {year}.",
            "Pregunta por el plato del día: nunca se repite.",
            "El arroz se hace al momento y merece la espera.",
        ],
        streets: [
            "Calle Mayor", "Avenida de la Libertad", "Calle del Sol", "Paseo del Río", "Calle Nueva",
        ])
}
