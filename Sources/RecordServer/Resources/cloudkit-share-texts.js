
// -------------------------------------------------------------------------------------------- Texts of the share dialog

/** The languages of the texts, in their order. */
const SHARE_LANGUAGES = ["en", "de", "es", "fr", "ja"];

const SHARE_TEXTS = {
    share: ["Share", "Teilen", "Compartir", "Partager", "共有"],
    shareTitled: ["Share “{title}”", "„{title}“ teilen", "Compartir «{title}»", "Partager « {title} »", "「{title}」を共有"],
    loading: ["Loading…", "Wird geladen …", "Cargando…", "Chargement…", "読み込み中…"],
    done: ["Done", "Fertig", "Listo", "Terminé", "完了"],
    cancel: ["Cancel", "Abbrechen", "Cancelar", "Annuler", "キャンセル"],
    saved: ["Saved.", "Gesichert.", "Guardado.", "Enregistré.", "保存しました。"],
    unreachable: [
        "The server could not be reached. Try again.", "Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.",
        "No se puede contactar con el servidor. Inténtalo de nuevo.", "Le serveur est injoignable. Réessayez.",
        "サーバに接続できません。もう一度お試しください。",
    ],
    access: ["Who has access", "Wer Zugriff hat", "Quién tiene acceso", "Qui a accès", "アクセスできる人"],
    invited: ["Only people you invite", "Nur wen Sie einladen", "Solo a quien invites", "Seulement les personnes invitées", "招待した人のみ"],
    anyone: ["Anyone with the link", "Alle, die den Link haben", "Cualquiera con el enlace", "Toute personne ayant le lien", "リンクを知っている全員"],
    permission: ["Permission", "Rechte", "Permiso", "Droits", "権限"],
    permissionOf: ["Permission of {name}", "Rechte von {name}", "Permiso de {name}", "Droits de {name}", "{name}の権限"],
    permissionOfAnyone: [
        "Permission of anyone with the link", "Rechte aller, die den Link haben", "Permiso de cualquiera con el enlace",
        "Droits de toute personne ayant le lien", "リンクを知っている全員の権限",
    ],
    READ_WRITE: ["Can make changes", "Darf ändern", "Puede editar", "Peut modifier", "編集可能"],
    READ_ONLY: ["Can view", "Darf ansehen", "Puede ver", "Peut consulter", "閲覧のみ"],
    NONE: ["No access", "Kein Zugriff", "Sin acceso", "Aucun accès", "アクセス不可"],
    address: ["Mail address", "E-Mail-Adresse", "Correo electrónico", "Adresse e-mail", "メールアドレス"],
    invite: ["Invite", "Einladen", "Invitar", "Inviter", "招待"],
    isInvited: [
        "{name} is invited already.", "{name} ist schon eingeladen.", "{name} ya tiene una invitación.",
        "{name} a déjà une invitation.", "{name}はすでに招待されています。",
    ],
    invitedByLink: [
        "{name} is invited. The link below lets them in.", "{name} ist eingeladen. Der Link unten öffnet den Zugang.",
        "{name} tiene una invitación. El enlace de abajo le da acceso.", "{name} est sur la liste. Le lien ci-dessous donne accès.",
        "{name}を招待しました。下のリンクから参加できます。",
    ],
    people: ["People", "Personen", "Personas", "Personnes", "参加者"],
    onlyYou: [
        "Nobody but you has access yet.", "Außer Ihnen hat noch niemand Zugriff.", "Todavía nadie más tiene acceso.",
        "Personne d’autre n’a encore accès.", "まだあなた以外はアクセスできません。",
    ],
    you: ["{name} (you)", "{name} (Sie)", "{name} (tú)", "{name} (vous)", "{name}（あなた）"],
    yourself: ["You", "Sie", "Tú", "Vous", "あなた"],
    somebody: ["Somebody", "Jemand", "Alguien", "Quelqu’un", "名前のない人"],
    OWNER: ["Owner", "Besitzt es", "Propietario", "Propriétaire", "所有者"],
    ADMINISTRATOR: ["Administrator", "Verwaltet es", "Administra", "Gère le partage", "管理者"],
    INVITED: ["Invited", "Eingeladen", "Invitación enviada", "Invitation en attente", "招待中"],
    ACCEPTED: ["Has joined", "Nimmt teil", "Participa", "Participe", "参加中"],
    UNSUBSCRIBED: ["Has left", "Ist ausgestiegen", "Ha salido", "A quitté le partage", "退出済み"],
    REMOVED: ["Removed", "Entfernt", "Sin acceso", "Retiré", "削除済み"],
    PUBLIC_USER: ["Joined by the link", "Über den Link dabei", "Entró por el enlace", "A suivi le lien", "リンクから参加"],
    oneTimeLink: ["One-time link", "Einmal-Link", "Enlace de un solo uso", "Lien à usage unique", "1回限りのリンク"],
    unused: ["Not opened yet", "Noch nicht geöffnet", "Aún sin abrir", "Pas encore ouvert", "まだ開かれていません"],
    makeOneTimeLink: [
        "Make a one-time link", "Einmal-Link erstellen", "Crear un enlace de un solo uso", "Créer un lien à usage unique",
        "1回限りのリンクを作成",
    ],
    oneTimeNote: [
        "It admits whoever opens it first.", "Er lässt herein, wer ihn zuerst öffnet.", "Da acceso a quien lo abra primero.",
        "Il donne accès à la première personne qui l’ouvre.", "最初に開いた人だけが参加できます。",
    ],
    remove: ["Remove", "Entfernen", "Quitar", "Retirer", "削除"],
    removeName: ["Remove {name}", "{name} entfernen", "Quitar a {name}", "Retirer {name}", "{name}を削除"],
    requests: ["Requests for access", "Anfragen um Zugriff", "Solicitudes de acceso", "Demandes d’accès", "アクセスのリクエスト"],
    approve: ["Approve", "Zulassen", "Aceptar", "Accepter", "許可"],
    approveName: ["Approve {name}", "{name} zulassen", "Aceptar a {name}", "Accepter {name}", "{name}を許可"],
    deny: ["Deny", "Ablehnen", "Rechazar", "Refuser", "拒否"],
    denyName: ["Deny {name}", "{name} ablehnen", "Rechazar a {name}", "Refuser {name}", "{name}を拒否"],
    block: ["Block", "Sperren", "Bloquear", "Bloquer", "ブロック"],
    blockName: ["Block {name}", "{name} sperren", "Bloquear a {name}", "Bloquer {name}", "{name}をブロック"],
    blocked: ["Blocked", "Gesperrt", "Bloqueados", "Personnes bloquées", "ブロック中"],
    unblock: ["Unblock", "Entsperren", "Desbloquear", "Débloquer", "ブロック解除"],
    unblockName: ["Unblock {name}", "{name} entsperren", "Desbloquear a {name}", "Débloquer {name}", "{name}のブロックを解除"],
    allowRequests: [
        "Others may ask for access by the link", "Andere dürfen über den Link um Zugriff bitten",
        "Otros pueden pedir acceso con el enlace", "D’autres peuvent demander l’accès par le lien",
        "ほかの人はリンクからアクセスをリクエストできる",
    ],
    link: ["Link", "Link", "Enlace", "Lien", "リンク"],
    copy: ["Copy link", "Link kopieren", "Copiar el enlace", "Copier le lien", "リンクをコピー"],
    copyOneTime: ["Copy the one-time link", "Einmal-Link kopieren", "Copiar el enlace de un solo uso", "Copier le lien à usage unique", "1回限りのリンクをコピー"],
    copied: ["The link is copied.", "Der Link ist kopiert.", "Enlace copiado.", "Le lien est copié.", "リンクをコピーしました。"],
    notCopied: [
        "The browser did not allow it. Copy the link: {link}", "Der Browser hat es nicht erlaubt. Kopieren Sie den Link: {link}",
        "El navegador no lo permite. Copia el enlace: {link}", "Le navigateur ne l’a pas permis. Copiez le lien : {link}",
        "ブラウザがコピーを許可しませんでした。リンク：{link}",
    ],
    anyoneNote: [
        "To invite or remove people one by one, choose “Only people you invite”.",
        "Um Personen einzeln einzuladen oder zu entfernen, wählen Sie „Nur wen Sie einladen“.",
        "Para invitar o quitar a personas una a una, elige «Solo a quien invites».",
        "Pour inviter ou retirer des personnes une à une, choisissez « Seulement les personnes invitées ».",
        "一人ずつ招待または削除するには「招待した人のみ」を選んでください。",
    ],
    toAnyone: [
        "Invitations that were not accepted yet end.", "Einladungen, die noch nicht angenommen wurden, verfallen.",
        "Las invitaciones sin aceptar dejarán de valer.", "Les invitations non acceptées expirent.",
        "まだ承諾されていない招待は無効になります。",
    ],
    toInvited: [
        "People who joined by the link lose access.", "Wer über den Link dabei ist, verliert den Zugriff.",
        "Quienes entraron por el enlace perderán el acceso.", "Les personnes venues par le lien perdent l’accès.",
        "リンクから参加した人はアクセスできなくなります。",
    ],
    change: ["Change", "Ändern", "Cambiar", "Changer", "変更"],
    stop: ["Stop sharing", "Nicht mehr teilen", "Dejar de compartir", "Arrêter le partage", "共有を停止"],
    stopNote: [
        "Everybody else loses access.", "Alle anderen verlieren den Zugriff.", "Los demás perderán el acceso.",
        "Toutes les autres personnes perdent l’accès.", "ほかの人は全員アクセスできなくなります。",
    ],
    leave: ["Leave", "Aussteigen", "Salir", "Quitter le partage", "退出"],
    leaveNote: ["You lose access.", "Sie verlieren den Zugriff.", "Perderás el acceso.", "Vous perdez l’accès.", "アクセスできなくなります。"],
};

/** The texts in a language, in English where there is no other: a function that also puts names into their places. */
function shareTexts(language) {
    const index = Math.max(0, SHARE_LANGUAGES.indexOf(language));
    return (key, values = {}) => SHARE_TEXTS[key][index].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
