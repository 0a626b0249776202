extension SignInText {
    /// The texts about devices without a browser, in the order of ``SignInLanguage``.
    static let deviceTexts: [SignInText: [String]] = [
        .device: [
            "Sign in on a device", "Auf einem Gerät anmelden", "Iniciar sesión en un dispositivo",
            "Se connecter sur un appareil", "デバイスでサインイン",
        ],
        .deviceLead: [
            "Enter the code that the device shows.", "Geben Sie den Code ein, den das Gerät anzeigt.",
            "Escribe el código que muestra el dispositivo.", "Saisissez le code que l’appareil affiche.",
            "デバイスに表示されているコードを入力してください。",
        ],
        .deviceAsk: [
            "“{device}” with the code {code} wants to sign in to {app} as {address}. Allow it only if you see this code on a device of yours.",
            "„{device}“ mit dem Code {code} will sich bei {app} als {address} anmelden. Erlauben Sie es nur, wenn Sie diesen Code auf einem Ihrer Geräte sehen.",
            "«{device}», con el código {code}, quiere iniciar sesión en {app} como {address}. Permítelo solo si ves este código en un dispositivo tuyo.",
            "« {device} », avec le code {code}, veut se connecter à {app} en tant que {address}. Autorisez-le seulement si vous voyez ce code sur l’un de vos appareils.",
            "「{device}」（コード {code}）が{address}として{app}にサインインしようとしています。このコードが自分のデバイスに表示されている場合だけ許可してください。",
        ],
        .deviceDone: [
            "The device is signed in. You can go back to it.",
            "Das Gerät ist angemeldet. Sie können dort weitermachen.",
            "El dispositivo ha iniciado sesión. Puedes volver a él.",
            "L’appareil est connecté. Vous pouvez y retourner.", "デバイスがサインインしました。デバイスに戻ってください。",
        ],
        .deviceDenied: [
            "The device was not let in.", "Das Gerät wurde nicht angemeldet.",
            "No se ha dejado entrar al dispositivo.", "L’appareil n’a pas été autorisé.",
            "デバイスのサインインを拒否しました。",
        ],
        .deviceUnknown: [
            "No device waits with this code. Codes are valid for ten minutes.",
            "Kein Gerät wartet mit diesem Code. Codes gelten zehn Minuten.",
            "Ningún dispositivo espera con este código. Los códigos valen diez minutos.",
            "Aucun appareil n’attend avec ce code. Les codes sont valables dix minutes.",
            "このコードで待っているデバイスはありません。コードの有効期限は10分です。",
        ],
        .programAsk: [
            "A program on this computer wants to sign in to {app}. Go on only if you have just started it.",
            "Ein Programm auf diesem Computer will sich bei {app} anmelden. Machen Sie nur weiter, wenn Sie es gerade gestartet haben.",
            "Un programa de este ordenador quiere iniciar sesión en {app}. Continúa solo si acabas de abrirlo.",
            "Un programme de cet ordinateur veut se connecter à {app}. Ne continuez que si vous venez de le lancer.",
            "このコンピュータのプログラムが{app}にサインインしようとしています。自分で起動した場合だけ続けてください。",
        ],
        .goOn: ["Continue", "Weiter", "Continuar", "Continuer", "続ける"],
        .allow: ["Allow", "Erlauben", "Permitir", "Autoriser", "許可"],
        .deny: ["Deny", "Ablehnen", "Rechazar", "Refuser", "拒否"],
    ]
}
