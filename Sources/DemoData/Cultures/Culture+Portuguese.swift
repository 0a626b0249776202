extension Culture {
    /// Portuguese names and sentences.
    static let portuguese = Culture(
        given: [
            "Maria", "João", "Ana", "Pedro", "Beatriz", "Tiago", "Inês", "Miguel", "Larissa", "Rafael",
            "Júlia", "Gabriel", "Letícia", "Thiago", "Conceição", "Antônio", "Luísa", "Vinícius",
            "Fátima", "Otávio",
        ],
        family: [
            "Silva", "Santos", "Oliveira", "Souza", "Pereira", "Costa", "Rodrigues", "Almeida",
            "Nascimento", "Lima", "Araújo", "Ferreira", "Carvalho", "Gomes", "Ribeiro", "Gonçalves",
            "Magalhães", "Assunção", "Brandão", "Leitão",
        ],
        bio: [
            "Jogo desde {year} e ainda fico nervoso antes de cada partida.",
            "Treino quase todas as noites num campo perto do centro de {city}.",
            "Aos sábados ensino {n} crianças do bairro, e elas não me dão descanso.",
            "Aprendi na rua, com dois chinelos a fazer de baliza.",
            "Cheguei a {city} em {year} e o time virou a minha família.",
            "Depois de uma lesão, aprendi a pensar antes de correr.",
            "Minha avó vê todos os jogos e reclama mais do que o treinador.",
            "Trabalho numa padaria, por isso acordar cedo não me custa.",
        ],
        titles: [
            "O que aprendi em {n} semanas", "Um domingo em {city}", "Procuramos goleiro",
            "Perdemos, e está tudo bem", "Obrigado, {city}",
        ],
        posts: [
            "Perdíamos por dois e ninguém acreditava mais em nós.",
            "O campo estava alagado, mas jogamos assim mesmo.",
            "Depois fomos {n} comer pastel, ainda de chuteiras.",
            "Se você tem a terça à noite livre, venha jogar.",
            "Vi o vídeo {n} vezes e ainda não entendo aquele passe.",
            "No mês que vem viajamos para o litoral, e restam {n} lugares.",
        ],
        restaurants: [
            "Cantina {family}", "Casa da {given}", "Boteco {n}", "Sabor de {city}",
        ],
        cuisines: [
            "Churrascaria", "Padaria", "Marisqueira", "Café", "Petiscos",
        ],
        descriptions: [
            "Uma sala com {n} mesas, da família {family} desde {year}.",
            "O cardápio muda toda semana com a feira de {city}.",
            "O pão sai do forno às seis da manhã.",
            "Peça o prato do dia: ele nunca se repete.",
        ],
        streets: [
            "Rua Direita", "Avenida da Liberdade", "Rua das Flores", "Largo do Mercado", "Rua São João",
        ])
}
