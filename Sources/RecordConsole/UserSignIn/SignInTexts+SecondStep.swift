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

    /// The mails about it, and about a password that was reset.
    static let secondStepMails: [SignInText: [String]] = [
        .mailSecondOn: [
            "{app} asks for a code from now on", "{app} fragt ab jetzt nach einem Code",
            "{app} pedirá un código a partir de ahora", "{app} demande désormais un code",
            "{app}の2段階認証がオンになりました",
        ],
        .mailSecondOnText: [
            "Signing in asks for a code of an authenticator app from now on. If that was not you, choose another password by 'Forgot your password?' and ask whoever runs the app.",
            "Bei der Anmeldung wird ab jetzt nach einem Code einer Authenticator-App gefragt. Falls Sie das nicht waren, wählen Sie über „Passwort vergessen?“ ein anderes Passwort und wenden Sie sich an den Betreiber.",
            "A partir de ahora se pide un código de una app de autenticación al iniciar sesión. Si no has sido tú, elige otra contraseña con «¿Has olvidado la contraseña?» y contacta con quien gestiona la app.",
            "La connexion demande désormais un code d’une application d’authentification. Si ce n’était pas vous, choisissez un autre mot de passe par « Mot de passe oublié ? » et contactez la personne qui gère l’application.",
            "今後サインインには認証アプリのコードが必要です。心当たりがない場合は、「パスワードを忘れた場合」から再設定し、運営者にお問い合わせください。",
        ],
        .mailSecondOff: [
            "{app} asks for no code any more", "{app} fragt nicht mehr nach einem Code",
            "{app} ya no pedirá un código", "{app} ne demande plus de code",
            "{app}の2段階認証がオフになりました",
        ],
        .mailSecondOffText: [
            "Signing in does not ask for a code of an authenticator app any more. If that was not you, choose another password on the sign-in page at once.",
            "Bei der Anmeldung wird nicht mehr nach einem Code einer Authenticator-App gefragt. Falls Sie das nicht waren, wählen Sie auf der Anmeldeseite sofort ein anderes Passwort.",
            "Al iniciar sesión ya no se pide un código de una app de autenticación. Si no has sido tú, elige otra contraseña de inmediato en la página de inicio de sesión.",
            "La connexion ne demande plus de code d’une application d’authentification. Si ce n’était pas vous, choisissez un autre mot de passe tout de suite sur la page de connexion.",
            "サインイン時に認証アプリのコードは求められなくなりました。心当たりがない場合は、すぐにサインインページでパスワードを再設定してください。",
        ],
        .mailSecondStopped: [
            "Many wrong codes for {app}", "Viele falsche Codes für {app}",
            "Muchos códigos incorrectos para {app}", "Beaucoup de codes incorrects pour {app}",
            "{app}で誤ったコードが何度も入力されました",
        ],
        .mailSecondStoppedText: [
            "Somebody who has your password entered very many wrong codes. Codes of your authenticator app are not taken any more: use a recovery code, or choose another password on the sign-in page. If that was not you, choose another password at once.",
            "Jemand mit Ihrem Passwort hat sehr viele falsche Codes eingegeben. Codes Ihrer Authenticator-App werden nicht mehr angenommen: Verwenden Sie einen Wiederherstellungscode oder wählen Sie auf der Anmeldeseite ein anderes Passwort. Falls Sie das nicht waren, wählen Sie sofort ein anderes Passwort.",
            "Alguien que tiene tu contraseña ha escrito muchos códigos incorrectos. Ya no se aceptan códigos de tu app de autenticación: usa un código de recuperación o elige otra contraseña en la página de inicio de sesión. Si no has sido tú, elige otra contraseña de inmediato.",
            "Quelqu’un qui a votre mot de passe a saisi de très nombreux codes incorrects. Les codes de votre application d’authentification ne sont plus acceptés : utilisez un code de récupération ou choisissez un autre mot de passe sur la page de connexion. Si ce n’était pas vous, choisissez un autre mot de passe tout de suite.",
            "あなたのパスワードを知る人が、誤ったコードを何度も入力しました。認証アプリのコードは受け付けられなくなりました。復旧コードを使うか、サインインページでパスワードを再設定してください。心当たりがない場合は、すぐにパスワードを再設定してください。",
        ],
        .mailPasswordReset: [
            "Your password for {app} was reset", "Ihr Passwort für {app} wurde zurückgesetzt",
            "Tu contraseña para {app} se ha restablecido", "Votre mot de passe pour {app} a été réinitialisé",
            "{app}のパスワードが再設定されました",
        ],
        .mailPasswordResetText: [
            "A mailed link was used to choose a password. All sessions have ended, and services that were connected lead to your account no more; connect them again on the page of your account. If that was not you, somebody reads your mail: change its password first.",
            "Mit einem Link aus einer Mail wurde ein Passwort gewählt. Alle Sitzungen sind beendet, und verbundene Dienste führen nicht mehr zu Ihrem Konto; verbinden Sie sie auf der Seite Ihres Kontos neu. Falls Sie das nicht waren, liest jemand Ihre Mails: Ändern Sie zuerst deren Passwort.",
            "Se ha elegido una contraseña con un enlace enviado por correo. Todas las sesiones han terminado y los servicios conectados ya no llevan a tu cuenta; vuelve a conectarlos en la página de tu cuenta. Si no has sido tú, alguien lee tu correo: cambia primero su contraseña.",
            "Un lien envoyé par e-mail a servi à choisir un mot de passe. Toutes les sessions sont terminées et les services associés ne mènent plus à votre compte ; associez-les à nouveau sur la page de votre compte. Si ce n’était pas vous, quelqu’un lit vos e-mails : changez d’abord leur mot de passe.",
            "メールのリンクでパスワードが設定されました。すべてのセッションは終了し、連携していたサービスではサインインできなくなりました。アカウントのページで再度連携してください。心当たりがない場合は、まずメールのパスワードを変更してください。",
        ],
    ]
}
