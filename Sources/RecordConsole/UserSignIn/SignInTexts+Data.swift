extension SignInText {
    /// The texts about one's own data, in the order of ``SignInLanguage``.
    static let dataTexts: [SignInText: [String]] = [
        .yourData: ["Your data", "Ihre Daten", "Tus datos", "Vos données", "あなたのデータ"],
        .dataOrDelete: [
            "Download your data, or delete the account", "Daten herunterladen oder Konto löschen",
            "Descargar tus datos o eliminar la cuenta", "Télécharger vos données ou supprimer le compte",
            "データのダウンロード、アカウントの削除",
        ],
        .download: [
            "Download your data", "Daten herunterladen", "Descargar tus datos", "Télécharger vos données",
            "データをダウンロード",
        ],
        .downloadNote: [
            "A ZIP archive with your records, their files and what is known of your account.",
            "Ein ZIP-Archiv mit Ihren Datensätzen, deren Dateien und dem, was über Ihr Konto bekannt ist.",
            "Un archivo ZIP con tus registros, sus ficheros y lo que se sabe de tu cuenta.",
            "Une archive ZIP avec vos enregistrements, leurs fichiers et ce qui est connu de votre compte.",
            "レコード、そのファイル、アカウントの情報を収めたZIPファイルです。",
        ],
        .archiveBusy: [
            "A download is on its way already. Try again when it has come.",
            "Es läuft schon ein Download. Versuchen Sie es danach noch einmal.",
            "Ya hay una descarga en curso. Inténtalo cuando haya terminado.",
            "Un téléchargement est déjà en cours. Réessayez quand il sera terminé.",
            "ダウンロードがすでに進行中です。終わってからもう一度お試しください。",
        ],
        .deleteAccount: [
            "Delete the account", "Konto löschen", "Eliminar la cuenta", "Supprimer le compte", "アカウントを削除",
        ],
        .deleteNote: [
            "This cannot be undone. Your private data goes in every app that you use with this account:",
            "Das lässt sich nicht rückgängig machen. Ihre privaten Daten verschwinden in jeder App, die Sie mit diesem Konto benutzen:",
            "Esto no se puede deshacer. Tus datos privados desaparecen en todas las apps que usas con esta cuenta:",
            "C’est irréversible. Vos données privées disparaissent de chaque app que vous utilisez avec ce compte :",
            "元に戻すことはできません。このアカウントで使っているすべてのアプリから非公開データが削除されます。",
        ],
        .deleteKeeps: [
            "{name}: what you made public stays, without your name.",
            "{name}: Was Sie veröffentlicht haben, bleibt, ohne Ihren Namen.",
            "{name}: lo que has publicado se queda, sin tu nombre.",
            "{name} : ce que vous avez publié reste, sans votre nom.",
            "{name}：公開したものは、あなたの名前を消して残ります。",
        ],
        .deleteRemoves: [
            "{name}: what you made public goes as well.",
            "{name}: Was Sie veröffentlicht haben, verschwindet auch.",
            "{name}: lo que has publicado también desaparece.",
            "{name} : ce que vous avez publié disparaît aussi.", "{name}：公開したものも削除されます。",
        ],
        .deletedTitle: [
            "The account is deleted", "Das Konto ist gelöscht", "La cuenta se ha eliminado",
            "Le compte est supprimé", "アカウントを削除しました",
        ],
        .deletedLead: [
            "Nobody can sign in with it any more. Your data is being removed, which takes a moment.",
            "Niemand kann sich mehr damit anmelden. Ihre Daten werden jetzt entfernt, das dauert einen Moment.",
            "Ya nadie puede iniciar sesión con ella. Tus datos se están borrando, tardará un momento.",
            "Plus personne ne peut s’en servir pour se connecter. Vos données sont en cours de suppression.",
            "このアカウントではもうサインインできません。データは順次削除されます。",
        ],
        .signInAgain: [
            "Your account has no password to ask for. Sign out, sign in again, and come back here within ten minutes.",
            "Ihr Konto hat kein Passwort, nach dem gefragt werden könnte. Melden Sie sich ab, wieder an, und kommen Sie binnen zehn Minuten hierher zurück.",
            "Tu cuenta no tiene contraseña que pedir. Cierra la sesión, vuelve a iniciarla y regresa aquí en menos de diez minutos.",
            "Votre compte n’a pas de mot de passe à demander. Déconnectez-vous, reconnectez-vous et revenez ici dans les dix minutes.",
            "このアカウントにはパスワードがありません。一度サインアウトしてサインインし直し、10分以内にこのページに戻ってください。",
        ],
        .mailDeleted: [
            "Your account for {app} was deleted", "Ihr Konto für {app} wurde gelöscht",
            "Tu cuenta de {app} se ha eliminado", "Votre compte pour {app} a été supprimé",
            "{app}のアカウントが削除されました",
        ],
        .mailDeletedText: [
            "Your account was deleted, in every app that you used with it. If that was not you, write to whoever runs the app.",
            "Ihr Konto wurde gelöscht, in jeder App, die Sie damit benutzt haben. Falls Sie das nicht waren, schreiben Sie dem Betreiber der App.",
            "Tu cuenta se ha eliminado en todas las apps que usabas con ella. Si no has sido tú, escribe a quien administra la app.",
            "Votre compte a été supprimé de chaque app que vous utilisiez avec lui. Si ce n’était pas vous, écrivez à l’administrateur de l’app.",
            "アカウントは、それを使っていたすべてのアプリから削除されました。心当たりがない場合は、アプリの管理者に連絡してください。",
        ],
    ]
}
