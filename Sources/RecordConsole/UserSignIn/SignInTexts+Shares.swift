extension SignInText {
    /// The texts about links to what is shared, in the order of ``SignInLanguage``.
    static let shareTexts: [SignInText: [String]] = entranceTexts.merging(standingTexts) { first, _ in first }
        .merging(listTexts) { first, _ in first }

    private static let entranceTexts: [SignInText: [String]] = [
        .sharedLink: [
            "A shared link", "Ein geteilter Link", "Un enlace compartido", "Un lien partagé", "共有リンク",
        ],
        .shareSignIn: [
            "Sign in to see what this link leads to. If you have no account yet, you create one on the way.",
            "Melden Sie sich an, um zu sehen, wohin dieser Link führt. Wenn Sie noch kein Konto haben, legen Sie unterwegs eines an.",
            "Inicia sesión para ver adónde lleva este enlace. Si aún no tienes una cuenta, la crearás por el camino.",
            "Connectez-vous pour voir où mène ce lien. Si vous n’avez pas encore de compte, vous en créerez un en chemin.",
            "このリンクの内容を見るにはサインインしてください。アカウントがない場合は、途中で作成できます。",
        ],
        .shareNothing: [
            "This link leads to nothing that is shared with you. Perhaps it has ended, or it is meant for another account.",
            "Dieser Link führt zu nichts, das mit Ihnen geteilt ist. Vielleicht ist er abgelaufen oder für ein anderes Konto bestimmt.",
            "Este enlace no lleva a nada que se comparta contigo. Quizá haya caducado o sea para otra cuenta.",
            "Ce lien ne mène à rien qui soit partagé avec vous. Il a peut-être expiré, ou il est destiné à un autre compte.",
            "このリンクには、あなたと共有されているものがありません。終了したか、別のアカウント宛ての可能性があります。",
        ],
        .shareOpenApp: [
            "Open in the app", "In der App öffnen", "Abrir en la app", "Ouvrir dans l’app", "アプリで開く",
        ],
        .shareUntitled: [
            "Something shared", "Etwas Geteiltes", "Algo compartido", "Un partage", "共有された項目",
        ],
        .shareSomebody: ["Somebody", "Jemand", "Alguien", "Quelqu’un", "ほかの人"],
        .shareFrom: [
            "{name} shares this with you in {app}.", "{name} teilt das mit Ihnen in {app}.",
            "{name} comparte esto contigo en {app}.", "{name} partage ceci avec vous dans {app}.",
            "{name}が{app}であなたと共有しています。",
        ],
        .mailInvitation: [
            "{name} shares “{share}” with you in {app}", "{name} teilt „{share}“ mit Ihnen in {app}",
            "{name} comparte «{share}» contigo en {app}", "{name} partage « {share} » avec vous dans {app}",
            "{name}が{app}で「{share}」を共有しました",
        ],
        .mailInvitationText: [
            "{name} invites you to “{share}” in {app}. Open the link to accept or to decline. The invitation is for this address: if you have no account of it yet, you create one on the way.",
            "{name} lädt Sie in {app} zu „{share}“ ein. Öffnen Sie den Link, um anzunehmen oder abzulehnen. Die Einladung gilt dieser Adresse: Wenn Sie noch kein Konto mit ihr haben, legen Sie unterwegs eines an.",
            "{name} te invita a «{share}» en {app}. Abre el enlace para aceptar o rechazar. La invitación es para esta dirección: si aún no tienes una cuenta con ella, la crearás por el camino.",
            "{name} vous invite à « {share} » dans {app}. Ouvrez le lien pour accepter ou refuser. L’invitation est destinée à cette adresse : si elle n’a pas encore de compte, vous en créerez un en chemin.",
            "{name}が{app}の「{share}」にあなたを招待しています。リンクを開いて参加または辞退してください。この招待はこのアドレス宛てです。アカウントがない場合は、途中で作成できます。",
        ],
        .mailInvitationIgnore: [
            "If you do not know who this is, there is nothing to do.",
            "Wenn Sie nicht wissen, wer das ist, müssen Sie nichts tun.",
            "Si no sabes quién es, no tienes que hacer nada.",
            "Si vous ne savez pas qui c’est, il n’y a rien à faire.", "心当たりがない場合は、何もする必要はありません。",
        ],
    ]

    private static let standingTexts: [SignInText: [String]] = [
        .shareOwn: [
            "You share this with others.", "Sie teilen das mit anderen.",
            "Compartes esto con otras personas.",
            "Vous partagez ceci avec d’autres.", "あなたがほかの人と共有しています。",
        ],
        .shareMayRead: [
            "You may look at it.", "Sie dürfen es ansehen.", "Puedes verlo.", "Vous pouvez le consulter.",
            "閲覧できます。",
        ],
        .shareMayWrite: [
            "You may look at it and change it.", "Sie dürfen es ansehen und ändern.",
            "Puedes verlo y modificarlo.", "Vous pouvez le consulter et le modifier.", "閲覧と変更ができます。",
        ],
        .shareTaken: [
            "You take part in it.", "Sie nehmen daran teil.", "Participas en ello.", "Vous y participez.",
            "参加しています。",
        ],
        .shareLeft: [
            "You do not take part in it. The link lets you come back.",
            "Sie nehmen nicht daran teil. Mit dem Link können Sie zurückkommen.",
            "No participas en ello. Con el enlace puedes volver.",
            "Vous n’y participez pas. Le lien vous permet de revenir.", "参加していません。このリンクから参加できます。",
        ],
        .shareAnybody: [
            "Everybody who has the link may look at it.", "Alle, die den Link haben, dürfen es ansehen.",
            "Quien tenga el enlace puede verlo.", "Toute personne ayant le lien peut le consulter.",
            "リンクを知っている人は誰でも閲覧できます。",
        ],
        .shareAskLead: [
            "Only people whom the owner lets in can see it. You can ask for access.",
            "Nur wen der Eigentümer einlässt, kann es sehen. Sie können um Zugang bitten.",
            "Solo lo ven las personas a las que su dueño da acceso. Puedes pedirlo.",
            "Seules les personnes admises par le propriétaire peuvent le voir. Vous pouvez demander l’accès.",
            "所有者が許可した人だけが見られます。アクセスをリクエストできます。",
        ],
        .shareClosed: [
            "Only people whom the owner lets in can see it.",
            "Nur wen der Eigentümer einlässt, kann es sehen.",
            "Solo lo ven las personas a las que su dueño da acceso.",
            "Seules les personnes admises par le propriétaire peuvent le voir.", "所有者が許可した人だけが見られます。",
        ],
        .shareAsked: [
            "You have asked for access. Now the owner decides.",
            "Sie haben um Zugang gebeten. Jetzt entscheidet der Eigentümer.",
            "Has pedido acceso. Ahora decide su dueño.",
            "Vous avez demandé l’accès. C’est maintenant au propriétaire de décider.",
            "アクセスをリクエストしました。所有者の返事をお待ちください。",
        ],
        .shareAccept: ["Accept", "Annehmen", "Aceptar", "Accepter", "参加する"],
        .shareDecline: ["Decline", "Ablehnen", "Rechazar", "Refuser", "辞退する"],
        .shareLeave: ["Leave", "Verlassen", "Abandonar", "Quitter", "参加をやめる"],
        .shareAsk: [
            "Ask for access", "Um Zugang bitten", "Pedir acceso", "Demander l’accès", "アクセスをリクエスト",
        ],
    ]

    private static let listTexts: [SignInText: [String]] = [
        .shareContents: [
            "What is shared", "Was geteilt ist", "Lo que se comparte", "Ce qui est partagé", "共有されている内容",
        ],
        .shareEmpty: [
            "Nothing is here yet.", "Hier ist noch nichts.", "Aquí todavía no hay nada.",
            "Il n’y a encore rien ici.", "まだ何もありません。",
        ],
        .shareBelow: [
            "Records below", "Darunter", "Registros incluidos", "Éléments inclus", "下位のレコード",
        ],
        .shareMore: ["More", "Mehr", "Más", "Plus", "さらに表示"],
        .shareAbove: ["One level up", "Eine Ebene höher", "Un nivel arriba", "Un niveau plus haut", "一つ上へ"],
        .shareBeginning: [
            "Back to the beginning", "Zurück zum Anfang", "Volver al principio", "Retour au début", "最初に戻る",
        ],
        .shareBytes: [
            "{count} bytes", "{count} Byte", "{count} bytes", "{count} octets", "{count}バイト",
        ],
    ]
}
