extension SignInText {
    /// The texts about providers, in the order of ``SignInLanguage``.
    static let providerTexts: [SignInText: [String]] = [
        .continueWith: [
            "Continue with {provider}", "Weiter mit {provider}", "Continuar con {provider}",
            "Continuer avec {provider}", "{provider}で続ける",
        ],
        .goingTo: [
            "You are being taken to {provider}.", "Sie werden zu {provider} weitergeleitet.",
            "Te estamos llevando a {provider}.", "Vous allez être redirigé vers {provider}.",
            "{provider}に移動します。",
        ],
        .providerFailed: [
            "Signing in with {provider} did not work. Please try again.",
            "Die Anmeldung mit {provider} hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
            "No se ha podido iniciar sesión con {provider}. Vuelve a intentarlo.",
            "La connexion avec {provider} n’a pas fonctionné. Veuillez réessayer.",
            "{provider}でサインインできませんでした。もう一度お試しください。",
        ],
        .startAgain: [
            "This took too long, or began in another browser. Please start again.",
            "Das hat zu lange gedauert oder in einem anderen Browser begonnen. Bitte beginnen Sie noch einmal.",
            "Ha tardado demasiado o empezó en otro navegador. Empieza de nuevo.",
            "Cela a pris trop de temps ou a commencé dans un autre navigateur. Veuillez recommencer.",
            "時間がかかりすぎたか、別のブラウザで開始されました。最初からやり直してください。",
        ],
        .addressTaken: [
            "There is already an account with your email address. Sign in to it first, then connect {provider} on the page of your account.",
            "Es gibt schon ein Konto mit Ihrer E-Mail-Adresse. Melden Sie sich zuerst dort an und verbinden Sie {provider} dann auf der Seite Ihres Kontos.",
            "Ya existe una cuenta con tu correo electrónico. Inicia sesión en ella y conecta {provider} en la página de tu cuenta.",
            "Il existe déjà un compte avec votre adresse e-mail. Connectez-vous d’abord à ce compte, puis associez {provider} sur la page de votre compte.",
            "このメールアドレスのアカウントはすでにあります。先にサインインしてから、アカウントのページで{provider}を連携してください。",
        ],
        .connectedElsewhere: [
            "That sign-in at {provider} belongs to another account.",
            "Diese Anmeldung bei {provider} gehört zu einem anderen Konto.",
            "Ese inicio de sesión de {provider} pertenece a otra cuenta.",
            "Cette connexion {provider} appartient à un autre compte.",
            "この{provider}のサインインは別のアカウントで使われています。",
        ],
        .lastWay: [
            "Choose a password first: {provider} is the only way into your account.",
            "Wählen Sie zuerst ein Passwort: {provider} ist der einzige Weg in Ihr Konto.",
            "Elige primero una contraseña: {provider} es la única forma de entrar en tu cuenta.",
            "Choisissez d’abord un mot de passe : {provider} est le seul accès à votre compte.",
            "先にパスワードを設定してください。{provider}以外にサインインの方法がありません。",
        ],
        .connect: [
            "Connect {provider}", "{provider} verbinden", "Conectar {provider}", "Associer {provider}",
            "{provider}を連携",
        ],
        .disconnect: [
            "Disconnect {provider}", "{provider} trennen", "Desconectar {provider}", "Dissocier {provider}",
            "{provider}の連携を解除",
        ],
        .connected: [
            "You can now sign in with {provider}.", "Sie können sich jetzt mit {provider} anmelden.",
            "Ahora puedes iniciar sesión con {provider}.",
            "Vous pouvez maintenant vous connecter avec {provider}.",
            "{provider}でサインインできるようになりました。",
        ],
        .mailConnected: [
            "Another way to sign in to {app}", "Ein weiterer Weg, sich bei {app} anzumelden",
            "Otra forma de iniciar sesión en {app}", "Une autre façon de se connecter à {app}",
            "{app}のサインイン方法が追加されました",
        ],
        .mailConnectedText: [
            "Another service was connected with your account, and can be used to sign in. If that was not you, disconnect it on the page of your account and choose another password.",
            "Ein weiterer Dienst wurde mit Ihrem Konto verbunden und kann zur Anmeldung verwendet werden. Falls Sie das nicht waren, trennen Sie ihn auf der Seite Ihres Kontos und wählen Sie ein anderes Passwort.",
            "Se ha conectado otro servicio a tu cuenta y se puede usar para iniciar sesión. Si no has sido tú, desconéctalo en la página de tu cuenta y elige otra contraseña.",
            "Un autre service a été associé à votre compte et permet de s’y connecter. Si ce n’était pas vous, dissociez-le sur la page de votre compte et choisissez un autre mot de passe.",
            "アカウントに別のサービスが連携され、サインインに使えるようになりました。心当たりがない場合は、アカウントのページで連携を解除し、パスワードを変更してください。",
        ],
    ]
}
