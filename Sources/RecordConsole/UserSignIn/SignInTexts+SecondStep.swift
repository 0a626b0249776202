extension SignInText {
    /// The texts of the second step, in the order of ``SignInLanguage``.
    static let secondStepTexts: [SignInText: [String]] = [
        .second: ["Second step", "Zweiter Schritt", "Segundo paso", "Deuxième étape", "2段階認証"],
        .secondLead: [
            "Enter the code that your authenticator app shows, or a recovery code.",
            "Geben Sie den Code aus Ihrer Authenticator-App ein, oder einen Wiederherstellungscode.",
            "Escribe el código de tu app de autenticación o un código de recuperación.",
            "Saisissez le code de votre application d’authentification ou un code de récupération.",
            "認証アプリに表示されているコード、または復旧コードを入力してください。",
        ],
        .code: ["Code", "Code", "Código", "Code", "コード"],
        .wrongCode: [
            "The code is wrong, or was used.", "Der Code stimmt nicht oder wurde schon benutzt.",
            "El código no es correcto o ya se ha usado.", "Le code est incorrect ou a déjà servi.",
            "コードが違うか、使用済みです。",
        ],
        .secondOff: [
            "Ask for a code of an authenticator app as well",
            "Auch nach einem Code einer Authenticator-App fragen",
            "Pedir también un código de una app de autenticación",
            "Demander aussi un code d’une application d’authentification", "認証アプリのコードも求める",
        ],
        .secondOn: [
            "You are asked for a code of your authenticator app. Recovery codes left: {count}",
            "Ein Code Ihrer Authenticator-App wird verlangt. Übrige Wiederherstellungscodes: {count}",
            "Se pide un código de tu app de autenticación. Códigos de recuperación restantes: {count}",
            "Un code de votre application d’authentification est demandé. Codes de récupération restants : {count}",
            "認証アプリのコードが必要です。残りの復旧コード：{count}",
        ],
        .turnOn: ["Set up", "Einrichten", "Configurar", "Configurer", "設定する"],
        .turnOff: ["Turn off", "Ausschalten", "Desactivar", "Désactiver", "オフにする"],
        .secondOffer: [
            "Add this key to an authenticator app, then enter the code that it shows: {key}",
            "Fügen Sie diesen Schlüssel einer Authenticator-App hinzu und geben Sie dann den Code ein, den sie zeigt: {key}",
            "Añade esta clave a una app de autenticación y escribe el código que muestra: {key}",
            "Ajoutez cette clé à une application d’authentification, puis saisissez le code affiché : {key}",
            "このキーを認証アプリに追加し、表示されたコードを入力してください：{key}",
        ],
        .openInApp: [
            "Open in an app on this device", "In einer App auf diesem Gerät öffnen",
            "Abrir en una app de este dispositivo", "Ouvrir dans une application de cet appareil",
            "このデバイスのアプリで開く",
        ],
        .recoveryCodes: [
            "Recovery codes", "Wiederherstellungscodes", "Códigos de recuperación", "Codes de récupération",
            "復旧コード",
        ],
        .recoveryLead: [
            "Keep these codes in a safe place. Each lets you in once when you do not have the app. They are not shown again.",
            "Bewahren Sie diese Codes sicher auf. Jeder lässt Sie einmal ohne die App hinein. Sie werden nicht noch einmal gezeigt.",
            "Guarda estos códigos en un lugar seguro. Cada uno te deja entrar una vez sin la app. No se vuelven a mostrar.",
            "Conservez ces codes en lieu sûr. Chacun vous laisse entrer une fois sans l’application. Ils ne seront plus affichés.",
            "これらのコードを安全な場所に保管してください。アプリがないときに1回ずつ使えます。再表示はされません。",
        ],
        .done: ["Done", "Fertig", "Hecho", "Terminé", "完了"],
    ]
}
