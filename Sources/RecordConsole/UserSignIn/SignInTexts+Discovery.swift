extension SignInText {
    /// The texts about being found by others, in the order of ``SignInLanguage``.
    static let discoveryTexts: [SignInText: [String]] = [
        .discovery: [
            "Being found by others", "Von anderen gefunden werden", "Que otros te encuentren",
            "Être trouvé par les autres", "ほかの人に見つけてもらう",
        ],
        .discoveryNote: [
            "If you allow it, others who use this app see you in a list and find you by your email address, with the name that you enter here. Otherwise nobody learns that you have an account.",
            "Wenn Sie es erlauben, sehen andere in dieser App Sie in einer Liste und finden Sie über Ihre Mailadresse, mit dem Namen, den Sie hier eingeben. Sonst erfährt niemand, dass Sie ein Konto haben.",
            "Si lo permites, otras personas que usan esta app te ven en una lista y te encuentran por tu correo, con el nombre que escribas aquí. Si no, nadie sabe que tienes una cuenta.",
            "Si vous l’autorisez, les autres utilisateurs de l’app vous voient dans une liste et vous trouvent par votre adresse mail, avec le nom saisi ici. Sinon, personne n’apprend que vous avez un compte.",
            "許可すると、このアプリを使うほかの人が一覧やメールアドレスからあなたを見つけ、ここに入力した名前を見られます。許可しなければ、アカウントがあることは誰にもわかりません。",
        ],
        .discoveryAllow: [
            "Others may find me", "Andere dürfen mich finden", "Otros pueden encontrarme",
            "Les autres peuvent me trouver", "ほかの人が自分を見つけることを許可する",
        ],
        .givenName: ["Given name", "Vorname", "Nombre", "Prénom", "名"],
        .familyName: ["Family name", "Nachname", "Apellidos", "Nom", "姓"],
        .badName: [
            "The name is too long, or has characters that no name has.",
            "Der Name ist zu lang oder enthält Zeichen, die kein Name hat.",
            "El nombre es demasiado largo o tiene caracteres no válidos.",
            "Le nom est trop long ou contient des caractères non valides.",
            "名前が長すぎるか、使えない文字が含まれています。",
        ],
        .save: ["Save", "Speichern", "Guardar", "Enregistrer", "保存"],
        .saved: [
            "Your answer was saved.", "Ihre Antwort wurde gespeichert.", "Tu respuesta se ha guardado.",
            "Votre réponse a été enregistrée.", "回答を保存しました。",
        ],
    ]
}
