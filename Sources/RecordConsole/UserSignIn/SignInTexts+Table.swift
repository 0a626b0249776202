extension SignInText {
    /// English, German, Spanish, French, Japanese: in the order of ``SignInLanguage``.
    static let table: [SignInText: [String]] = pageTexts.merging(mailTexts) { first, _ in first }
        .merging(secondStepTexts) { first, _ in first }
        .merging(secondStepMails) { first, _ in first }
        .merging(providerTexts) { first, _ in first }
        .merging(dataTexts) { first, _ in first }
        .merging(discoveryTexts) { first, _ in first }
        .merging(deviceTexts) { first, _ in first }
        .merging(shareTexts) { first, _ in first }

    private static let pageTexts: [SignInText: [String]] = [
        .signIn: ["Sign in", "Anmelden", "Iniciar sesión", "Se connecter", "サインイン"],
        .signInTo: [
            "Sign in to {app}", "Bei {app} anmelden", "Iniciar sesión en {app}", "Se connecter à {app}",
            "{app}にサインイン",
        ],
        .address: ["Email address", "E-Mail-Adresse", "Correo electrónico", "Adresse e-mail", "メールアドレス"],
        .password: ["Password", "Passwort", "Contraseña", "Mot de passe", "パスワード"],
        .newPassword: [
            "New password", "Neues Passwort", "Nueva contraseña", "Nouveau mot de passe", "新しいパスワード",
        ],
        .currentPassword: [
            "Current password", "Bisheriges Passwort", "Contraseña actual", "Mot de passe actuel", "現在のパスワード",
        ],
        .passwordHint: [
            "At least {count} characters. A few words that only you would put together are a good choice.",
            "Mindestens {count} Zeichen. Gut sind ein paar Wörter, die nur Sie so zusammenstellen würden.",
            "Al menos {count} caracteres. Unas palabras que solo tú juntarías son una buena elección.",
            "Au moins {count} caractères. Quelques mots que vous seul réuniriez sont un bon choix.",
            "{count}文字以上。自分だけが思いつく単語の組み合わせがおすすめです。",
        ],
        .keep: [
            "Keep me signed in on this device", "Auf diesem Gerät angemeldet bleiben",
            "Mantener la sesión iniciada en este dispositivo", "Rester connecté sur cet appareil",
            "このデバイスでサインインしたままにする",
        ],
        .forgotten: [
            "Forgot your password?", "Passwort vergessen?", "¿Has olvidado la contraseña?",
            "Mot de passe oublié ?", "パスワードをお忘れですか？",
        ],
        .makeAccount: [
            "Create an account", "Konto anlegen", "Crear una cuenta", "Créer un compte", "アカウントを作成",
        ],
        .makeAccountFor: [
            "Create an account for {app}", "Konto für {app} anlegen", "Crear una cuenta para {app}",
            "Créer un compte pour {app}", "{app}のアカウントを作成",
        ],
        .signUpLead: [
            "We send a link to your address. It leads to a page where you choose a password.",
            "Wir schicken Ihnen einen Link. Er führt zu einer Seite, auf der Sie ein Passwort wählen.",
            "Te enviamos un enlace. Te lleva a una página donde eliges una contraseña.",
            "Nous vous envoyons un lien. Il mène à une page où vous choisissez un mot de passe.",
            "メールアドレスにリンクを送ります。リンク先のページでパスワードを設定してください。",
        ],
        .sendLink: ["Send the link", "Link schicken", "Enviar el enlace", "Envoyer le lien", "リンクを送信"],
        .forgottenLead: [
            "We send a link to your address. It leads to a page where you choose a new password.",
            "Wir schicken Ihnen einen Link. Er führt zu einer Seite, auf der Sie ein neues Passwort wählen.",
            "Te enviamos un enlace. Te lleva a una página donde eliges una contraseña nueva.",
            "Nous vous envoyons un lien. Il mène à une page où vous choisissez un nouveau mot de passe.",
            "メールアドレスにリンクを送ります。リンク先のページで新しいパスワードを設定してください。",
        ],
        .sentTitle: [
            "Check your mail", "Sehen Sie in Ihre E-Mails", "Revisa tu correo", "Consultez vos e-mails",
            "メールをご確認ください",
        ],
        .sentLead: [
            "If {address} can be sent a link, it is on its way. It is valid for an hour. You can close this page.",
            "Falls {address} einen Link bekommen kann, ist er unterwegs. Er gilt eine Stunde. Sie können diese Seite schließen.",
            "Si {address} puede recibir un enlace, ya está en camino. Es válido durante una hora. Puedes cerrar esta página.",
            "Si {address} peut recevoir un lien, il est en route. Il est valable une heure. Vous pouvez fermer cette page.",
            "{address}がリンクを受け取れる場合、まもなく届きます。有効期間は1時間です。このページは閉じてかまいません。",
        ],
        .noMail: [
            "This server sends no mail: ask whoever runs it for your link.",
            "Dieser Server verschickt keine E-Mails: Fragen Sie den Betreiber nach Ihrem Link.",
            "Este servidor no envía correo: pide tu enlace a quien lo administra.",
            "Ce serveur n’envoie pas d’e-mails : demandez votre lien à son administrateur.",
            "このサーバーはメールを送信しません。リンクは管理者にお問い合わせください。",
        ],
        .choosePassword: [
            "Choose a password", "Passwort wählen", "Elige una contraseña", "Choisissez un mot de passe",
            "パスワードを設定",
        ],
        .chooseLead: ["For {address}", "Für {address}", "Para {address}", "Pour {address}", "{address}"],
        .savePassword: [
            "Save and sign in", "Speichern und anmelden", "Guardar e iniciar sesión",
            "Enregistrer et se connecter", "保存してサインイン",
        ],
        .linkOver: [
            "This link has been used, or is too old.", "Dieser Link wurde schon benutzt oder ist zu alt.",
            "Este enlace ya se ha usado o ha caducado.", "Ce lien a déjà servi ou a expiré.",
            "このリンクは使用済みか、期限が切れています。",
        ],
        .wrong: [
            "The address or the password is wrong.", "Adresse oder Passwort stimmt nicht.",
            "El correo o la contraseña no es correcto.", "L’adresse ou le mot de passe est incorrect.",
            "メールアドレスまたはパスワードが違います。",
        ],
        .wrongPassword: [
            "The password is wrong.", "Das Passwort stimmt nicht.", "La contraseña no es correcta.",
            "Le mot de passe est incorrect.", "パスワードが違います。",
        ],
        .wait: [
            "Too many attempts failed. Try again in {seconds} seconds.",
            "Zu viele Versuche sind gescheitert. Versuchen Sie es in {seconds} Sekunden wieder.",
            "Demasiados intentos fallidos. Vuelve a intentarlo en {seconds} segundos.",
            "Trop de tentatives ont échoué. Réessayez dans {seconds} secondes.",
            "失敗が続いています。{seconds}秒後にもう一度お試しください。",
        ],
        .tooShort: [
            "The password needs at least {count} characters.",
            "Das Passwort braucht mindestens {count} Zeichen.",
            "La contraseña necesita al menos {count} caracteres.",
            "Le mot de passe doit compter au moins {count} caractères.", "パスワードは{count}文字以上にしてください。",
        ],
        .tooLong: [
            "The password may have at most {count} characters.",
            "Das Passwort darf höchstens {count} Zeichen haben.",
            "La contraseña puede tener como máximo {count} caracteres.",
            "Le mot de passe peut compter au plus {count} caractères.", "パスワードは{count}文字以下にしてください。",
        ],
        .common: [
            "This password is one of those that are tried first. Choose another one.",
            "Dieses Passwort wird als eines der ersten ausprobiert. Wählen Sie ein anderes.",
            "Esta contraseña es de las primeras que se prueban. Elige otra.",
            "Ce mot de passe est parmi les premiers essayés. Choisissez-en un autre.",
            "このパスワードは推測されやすいものです。別のものにしてください。",
        ],
        .noAddress: [
            "That is not a complete email address.", "Das ist keine vollständige E-Mail-Adresse.",
            "No es una dirección de correo completa.", "Ce n’est pas une adresse e-mail complète.",
            "メールアドレスの形式が正しくありません。",
        ],
        .notAdmitted: [
            "{app} is not open to this account. Ask whoever runs it for an invitation.",
            "{app} ist für dieses Konto nicht offen. Bitten Sie den Betreiber um eine Einladung.",
            "{app} no está abierto a esta cuenta. Pide una invitación a quien lo administra.",
            "{app} n’est pas ouvert à ce compte. Demandez une invitation à son administrateur.",
            "このアカウントでは{app}を利用できません。管理者に招待を依頼してください。",
        ],
        .invitationOnly: [
            "Accounts are by invitation.", "Konten gibt es auf Einladung.", "Las cuentas son por invitación.",
            "Les comptes se créent sur invitation.", "アカウントは招待制です。",
        ],
        .continueAs: [
            "Continue as {address}", "Weiter als {address}", "Continuar como {address}",
            "Continuer en tant que {address}", "{address}として続ける",
        ],
        .otherAccount: [
            "Use another account", "Anderes Konto verwenden", "Usar otra cuenta", "Utiliser un autre compte",
            "別のアカウントを使う",
        ],
        .signOut: ["Sign out", "Abmelden", "Cerrar sesión", "Se déconnecter", "サインアウト"],
        .account: ["Your account", "Ihr Konto", "Tu cuenta", "Votre compte", "アカウント"],
        .signedInAs: [
            "Signed in as {address}", "Angemeldet als {address}", "Sesión iniciada como {address}",
            "Connecté en tant que {address}", "{address}でサインイン中",
        ],
        .doneTitle: [
            "You are signed in", "Sie sind angemeldet", "Has iniciado sesión", "Vous êtes connecté",
            "サインインしました",
        ],
        .doneLead: [
            "You can close this window and go back to {app}.",
            "Sie können dieses Fenster schließen und zu {app} zurückkehren.",
            "Puedes cerrar esta ventana y volver a {app}.",
            "Vous pouvez fermer cette fenêtre et revenir à {app}.", "このウインドウを閉じて{app}に戻ってください。",
        ],
        .sessions: [
            "Where you are signed in", "Wo Sie angemeldet sind", "Dónde has iniciado sesión",
            "Où vous êtes connecté", "サインイン中のデバイス",
        ],
        .since: ["since {date}", "seit {date}", "desde {date}", "depuis {date}", "{date}から"],
        .thisBrowser: ["this browser", "dieser Browser", "este navegador", "ce navigateur", "このブラウザ"],
        .end: ["End", "Beenden", "Cerrar", "Fermer", "終了"],
        .endOthers: [
            "End all others", "Alle anderen beenden", "Cerrar todas las demás", "Fermer toutes les autres",
            "ほかをすべて終了",
        ],
        .changePassword: [
            "Change the password", "Passwort ändern", "Cambiar la contraseña", "Changer le mot de passe",
            "パスワードを変更",
        ],
        .changeAddress: [
            "Change the email address", "E-Mail-Adresse ändern", "Cambiar el correo",
            "Changer l’adresse e-mail",
            "メールアドレスを変更",
        ],
        .newAddress: [
            "New email address", "Neue E-Mail-Adresse", "Nuevo correo", "Nouvelle adresse e-mail",
            "新しいメールアドレス",
        ],
        .passwordChanged: [
            "The password is changed. Everywhere else you are signed out.",
            "Das Passwort ist geändert. Überall sonst sind Sie abgemeldet.",
            "La contraseña se ha cambiado. En los demás sitios se ha cerrado tu sesión.",
            "Le mot de passe est changé. Partout ailleurs, vous êtes déconnecté.",
            "パスワードを変更しました。ほかのデバイスではサインアウトされました。",
        ],
        .confirmAddress: [
            "Use {address} from now on?", "Ab jetzt {address} verwenden?",
            "¿Usar {address} a partir de ahora?",
            "Utiliser désormais {address} ?", "今後{address}を使いますか？",
        ],
        .addressConfirmed: [
            "Your new address is in use.", "Ihre neue Adresse gilt jetzt.",
            "Tu nueva dirección ya está en uso.",
            "Votre nouvelle adresse est utilisée.", "新しいメールアドレスに変更しました。",
        ],
        .confirm: ["Confirm", "Bestätigen", "Confirmar", "Confirmer", "確認"],
        .later: [
            "That did not work just now. Try again in a moment.",
            "Das hat gerade nicht geklappt. Versuchen Sie es gleich noch einmal.",
            "No ha funcionado. Vuelve a intentarlo en un momento.",
            "Cela n’a pas fonctionné. Réessayez dans un instant.", "処理できませんでした。少し待ってからもう一度お試しください。",
        ],
        .badForm: [
            "The page had been open for too long. Please send it again.",
            "Die Seite war zu lange offen. Bitte schicken Sie sie noch einmal ab.",
            "La página ha estado abierta demasiado tiempo. Envíala otra vez.",
            "La page est restée ouverte trop longtemps. Veuillez la renvoyer.",
            "ページの有効期限が切れました。もう一度送信してください。",
        ],
        .language: ["Language", "Sprache", "Idioma", "Langue", "言語"],
        .signInPage: [
            "Back to the sign-in page", "Zurück zur Anmeldung", "Volver al inicio de sesión",
            "Retour à la connexion", "サインインに戻る",
        ],
        .unknownApp: [
            "The app that led here is not known to this server.",
            "Die App, die hierher geführt hat, ist diesem Server nicht bekannt.",
            "Este servidor no conoce la app que te ha traído aquí.",
            "Ce serveur ne connaît pas l’app qui vous a conduit ici.", "このサーバーに登録されていないアプリから開かれました。",
        ],
    ]

    private static let mailTexts: [SignInText: [String]] = [
        .mailSignUp: [
            "Your account for {app}", "Ihr Konto für {app}", "Tu cuenta para {app}",
            "Votre compte pour {app}",
            "{app}のアカウント",
        ],
        .mailSignUpText: [
            "Open this link within an hour to choose a password:",
            "Öffnen Sie diesen Link innerhalb einer Stunde, um ein Passwort zu wählen:",
            "Abre este enlace en menos de una hora para elegir una contraseña:",
            "Ouvrez ce lien dans l’heure pour choisir un mot de passe :",
            "1時間以内に次のリンクを開き、パスワードを設定してください。",
        ],
        .mailKnown: [
            "You already have an account for {app}", "Sie haben schon ein Konto für {app}",
            "Ya tienes una cuenta para {app}", "Vous avez déjà un compte pour {app}",
            "{app}のアカウントはすでにあります",
        ],
        .mailKnownText: [
            "Somebody wanted to create an account with your address, which has one. If you have forgotten its password, open this link within an hour to choose another one:",
            "Jemand wollte mit Ihrer Adresse ein Konto anlegen, die schon eines hat. Falls Sie das Passwort vergessen haben, wählen Sie innerhalb einer Stunde mit diesem Link ein anderes:",
            "Alguien quiso crear una cuenta con tu dirección, que ya tiene una. Si has olvidado la contraseña, elige otra con este enlace en menos de una hora:",
            "Quelqu’un a voulu créer un compte avec votre adresse, qui en a déjà un. Si vous avez oublié le mot de passe, choisissez-en un autre avec ce lien dans l’heure :",
            "あなたのメールアドレスでアカウントの作成が試みられましたが、すでにアカウントがあります。パスワードをお忘れの場合は、1時間以内に次のリンクから再設定できます。",
        ],
        .mailReset: [
            "A new password for {app}", "Ein neues Passwort für {app}", "Una nueva contraseña para {app}",
            "Un nouveau mot de passe pour {app}", "{app}のパスワードの再設定",
        ],
        .mailResetText: [
            "Open this link within an hour to choose a new password:",
            "Öffnen Sie diesen Link innerhalb einer Stunde, um ein neues Passwort zu wählen:",
            "Abre este enlace en menos de una hora para elegir una contraseña nueva:",
            "Ouvrez ce lien dans l’heure pour choisir un nouveau mot de passe :",
            "1時間以内に次のリンクを開き、新しいパスワードを設定してください。",
        ],
        .mailAddress: [
            "Your new address for {app}", "Ihre neue Adresse für {app}", "Tu nueva dirección para {app}",
            "Votre nouvelle adresse pour {app}", "{app}の新しいメールアドレス",
        ],
        .mailAddressText: [
            "Open this link within an hour to use this address from now on:",
            "Öffnen Sie diesen Link innerhalb einer Stunde, um ab jetzt diese Adresse zu verwenden:",
            "Abre este enlace en menos de una hora para usar esta dirección a partir de ahora:",
            "Ouvrez ce lien dans l’heure pour utiliser désormais cette adresse :",
            "1時間以内に次のリンクを開くと、今後このメールアドレスが使われます。",
        ],
        .mailAddressChanged: [
            "Your address for {app} was changed", "Ihre Adresse für {app} wurde geändert",
            "Tu dirección para {app} ha cambiado", "Votre adresse pour {app} a été changée",
            "{app}のメールアドレスが変更されました",
        ],
        .mailAddressChangedText: [
            "Your account has another address now. If that was not you, write to whoever runs the app.",
            "Ihr Konto hat jetzt eine andere Adresse. Falls Sie das nicht waren, schreiben Sie dem Betreiber der App.",
            "Tu cuenta tiene ahora otra dirección. Si no has sido tú, escribe a quien administra la app.",
            "Votre compte a maintenant une autre adresse. Si ce n’était pas vous, écrivez à l’administrateur de l’app.",
            "アカウントのメールアドレスが変更されました。心当たりがない場合は、アプリの管理者に連絡してください。",
        ],
        .mailPasswordChanged: [
            "Your password for {app} was changed", "Ihr Passwort für {app} wurde geändert",
            "Tu contraseña para {app} ha cambiado", "Votre mot de passe pour {app} a été changé",
            "{app}のパスワードが変更されました",
        ],
        .mailPasswordChangedText: [
            "Your password was changed. If that was not you, choose another one on the sign-in page at once.",
            "Ihr Passwort wurde geändert. Falls Sie das nicht waren, wählen Sie auf der Anmeldeseite sofort ein anderes.",
            "Tu contraseña ha cambiado. Si no has sido tú, elige otra de inmediato en la página de inicio de sesión.",
            "Votre mot de passe a été changé. Si ce n’était pas vous, choisissez-en un autre tout de suite sur la page de connexion.",
            "パスワードが変更されました。心当たりがない場合は、すぐにサインインページで再設定してください。",
        ],
        .mailIgnore: [
            "If you did not ask for this, there is nothing to do.",
            "Falls Sie das nicht angefordert haben, müssen Sie nichts tun.",
            "Si no lo has pedido, no tienes que hacer nada.",
            "Si vous n’avez rien demandé, il n’y a rien à faire.",
            "心当たりがない場合は、何もする必要はありません。",
        ],
    ]
}
