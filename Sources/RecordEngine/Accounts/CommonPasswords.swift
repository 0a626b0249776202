/// Passwords that lists of stolen ones have at their top, and the variations that people make of them.
///
/// A list of words stands for very many passwords: what is compared is the password in small letters, with the digits that
/// stand for letters undone, and without digits and signs at its ends.
enum CommonPasswords {
    /// Whether a password is one of them, or is made of nothing but a repeated piece, a run of neighbours, or words that
    /// belong to the person or the app.
    static func contains(_ password: String, context: [String]) -> Bool {
        let plain = password.lowercased()
        if isRepeated(Array(plain.unicodeScalars)) || isRun(plain) { return true }
        let own = context.flatMap { $0.lowercased().split { !$0.isLetter }.map(String.init) }
            .filter { $0.count >= 3 }
        let bare = core(of: plain)
        for core in Set([bare, unleeted(bare), core(of: unleeted(plain)), unleeted(plain), plain]) {
            if words.contains(core) || own.contains(core) { return true }
            let pieces = core.split { !$0.isLetter }.map(String.init)
            if !pieces.isEmpty, pieces.allSatisfy({ words.contains($0) || own.contains($0) }) { return true }
            if isTwoWords(core, own) { return true }
        }
        return false
    }

    /// A password without digits and signs at both ends.
    private static func core(of password: String) -> String {
        var rest = password[...]
        while let first = rest.first, !first.isLetter { rest.removeFirst() }
        while let last = rest.last, !last.isLetter { rest.removeLast() }
        return String(rest)
    }

    /// Digits and signs that stand for letters, undone.
    private static func unleeted(_ password: String) -> String {
        String(password.map { letters[$0] ?? $0 })
    }

    private static let letters: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
    ]

    private static func isTwoWords(_ core: String, _ own: [String]) -> Bool {
        guard core.count >= 6, core.count <= 40 else { return false }
        return core.indices.dropFirst(3).contains { cut in
            let (first, second) = (String(core[..<cut]), String(core[cut...]))
            return (words.contains(first) || own.contains(first))
                && (words.contains(second) || own.contains(second))
        }
    }

    /// One to four characters again and again.
    private static func isRepeated(_ scalars: [Unicode.Scalar]) -> Bool {
        (1...4).contains { length in
            scalars.count >= length * 2
                && scalars.indices.allSatisfy { scalars[$0] == scalars[$0 % length] }
        }
    }

    /// Neighbours on the keyboard or in the alphabet, forwards or backwards, in at most two runs.
    private static func isRun(_ password: String) -> Bool {
        var rest = password[...]
        for _ in 0..<2 {
            let longest = (3...max(3, rest.count)).reversed().first { length in
                length <= rest.count
                    && rows.contains { $0.contains(rest.prefix(length)) }
            }
            guard let longest else { return false }
            rest = rest.dropFirst(longest)
            if rest.isEmpty { return true }
        }
        return false
    }

    private static let rows: [String] = {
        let forwards = [
            "01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm",
            "qwertzuiopü", "asdfghjklöä", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn",
            "1qaz2wsx3edc4rfv5tgb6yhn",
            "q1w2e3r4t5y6u7i8o9p0", "1q2w3e4r5t6y7u8i9o0p", "!@#$%^&*()", "qazwsxedcrfvtgbyhnujm",
        ]
        return forwards + forwards.map { String($0.reversed()) }
    }()

    /// Words of the passwords that are tried first, in the languages of the sign-in page.
    private static let words: Set<String> = Set(
        """
        password passwort passwd passw pass kennwort contraseña contrasena clave motdepasse geheim secret secreto hallo hello \
        welcome willkommen bienvenue bienvenido admin administrator root user users test testing tester demo guest gast default \
        changeme change letmein login signin logmein access master monkey dragon football fussball futbol baseball basketball \
        hockey soccer superman batman spiderman iloveyou loveyou iloveu love lovely lover ichliebedich liebe teamo tequiero \
        jetaime amour sunshine princess prinzessin princesa princesse shadow michael michelle jennifer jessica jordan thomas \
        daniel andrew joshua matthew charlie william robert anthony nicole ashley amanda samantha alexander alexandra \
        qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbnm qazwsx trustno killer hunter ranger buster soldier \
        harley batman thunder ginger hammer silver golden summer winter spring autumn sommer herbst verano invierno \
        starwars starwar pokemon naruto pikachu mustang ferrari porsche mercedes yankees cowboys eagles steelers lakers \
        liverpool arsenal chelsea barcelona realmadrid juventus bayern computer internet samsung android iphone google \
        facebook linkedin twitter youtube microsoft windows apple whatever nothing something anything everything forever \
        freedom family friends friend angel angels angela jesus christ jesuschrist heaven blessed cookie chocolate cheese \
        banana orange pepper peanut flower butterfly rainbow diamond crystal purple yellow green black white blue red \
        tigger snoopy garfield mickey minnie maggie bailey cooper buddy lucky happy smile sweet sugar honey baby babygirl \
        babyboy daddy mommy mother father sister brother bonjour soleil doudou chouchou loulou marseille corazon estrella \
        mariposa alejandro carlos fernando sakura nihon tokyo aishiteru himitsu schatz mausi sonnenschein hallowelt abcdef \
        abcabc abcd abc stratus cloud cloudkit server database correct horse battery staple correcthorsebatterystaple
        """.split { $0.isWhitespace }.map(String.init))
}
