
// --------------------------------------------------------------------------------------------------- The share dialog

const SHARE_PERMISSIONS = ["READ_WRITE", "READ_ONLY"];
const SHARE_ACCESS = ["PRIVATE", "PUBLIC"];

// A sheet made by script, which a page's Content-Security-Policy allows without 'unsafe-inline'.
const SHARE_STYLES = `
/* Also where the page has rules for all of its elements. */
:host { all: initial !important; }
* { box-sizing: border-box; }
dialog {
    --back: #fff; --text: #1c1c1e; --faint: #5b5b63; --line: #d5d5db; --field: #f4f4f7; --accent: #0a5bd0;
    --on-accent: #fff; --danger: #b3121d;
    font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text); background: var(--back);
    width: min(31rem, calc(100vw - 2rem)); max-height: min(46rem, calc(100dvh - 2rem)); padding: 0; overflow: hidden;
    border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 18px 60px #0005; color-scheme: light dark;
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: #0007; }
header, footer { display: flex; gap: .6rem; align-items: center; padding: .9rem 1.25rem; flex: none; }
header { border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); justify-content: space-between; }
footer .primary { margin-inline-start: auto; }
main { padding: .2rem 1.25rem 1.1rem; overflow-y: auto; flex: 1 1 auto; overscroll-behavior: contain; }
dialog[aria-busy=true] main, dialog[aria-busy=true] footer { opacity: .6; cursor: progress; }
h2, h3, p, ul, fieldset, legend { margin: 0; padding: 0; border: 0; }
h2 { font-size: 1.15rem; line-height: 1.3; overflow-wrap: anywhere; outline: none; }
h3, legend { font-size: .8rem; font-weight: 600; color: var(--faint); }
section, fieldset, details { margin-top: 1.15rem; min-width: 0; }
ul { list-style: none; }
li { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center; padding: .5rem 0; border-bottom: 1px solid var(--line); }
li:last-child { border-bottom: 0; }
.who { flex: 1 1 8rem; min-width: 0; overflow-wrap: anywhere; }
.controls { display: flex; gap: .5rem; align-items: center; margin-inline-start: auto; min-width: 0; }
.note, .who small { color: var(--faint); font-size: .85rem; display: block; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .45rem; }
.row > input[type=email] { flex: 1 0 100%; min-width: 0; }
.row > input[readonly] { flex: 1 1 9rem; min-width: 0; }
form .row > select { flex: 1 1 8rem; }
label.choice { display: flex; gap: .55rem; align-items: center; padding: .35rem 0; }
input, select, button { font: inherit; color: inherit; min-height: 2.3rem; border-radius: 9px; border: 1px solid var(--line); }
input, select { background: var(--field); padding: .3rem .6rem; max-width: 100%; }
input[type=radio], input[type=checkbox] { min-height: 0; width: 1.1rem; height: 1.1rem; margin: 0; flex: none; accent-color: var(--accent); }
button { background: var(--back); padding: .3rem .8rem; cursor: pointer; }
button:hover { background: var(--field); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.danger { color: var(--danger); }
button.icon { padding: 0; width: 2.3rem; font-size: 1.2rem; line-height: 1; color: var(--faint); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; color: var(--faint); font-size: .8rem; font-weight: 600; }
.said { padding: 0 1.25rem; flex: none; }
.said:has(p:not(:empty)) { padding-block: .6rem; border-bottom: 1px solid var(--line); }
.said p { overflow-wrap: anywhere; }
[role=alert] { color: var(--danger); }
[role=status] { color: var(--faint); }
dialog[role=alertdialog] { width: min(22rem, calc(100vw - 3rem)); padding: 1.25rem; gap: 1rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-color-scheme: dark) {
    dialog {
        --back: #1d1d20; --text: #f2f2f5; --faint: #a9a9b2; --line: #3b3b42; --field: #29292e; --accent: #7ab2ff;
        --on-accent: #08203f; --danger: #ff8f8f;
    }
}
@media (max-width: 30rem) {
    dialog:not([role=alertdialog]) {
        width: 100vw; max-width: 100vw; max-height: 92dvh; margin: auto 0 0; border-width: 1px 0 0; border-radius: 16px 16px 0 0;
    }
    footer { padding-bottom: max(.9rem, env(safe-area-inset-bottom)); }
}
@media (prefers-reduced-motion: no-preference) {
    dialog[open] { animation: come .16s ease-out; }
    @keyframes come { from { opacity: 0; transform: translateY(10px); } }
}`;

/** An element with properties, attributes and listeners (`onclick`), and what is in it. */
function makeElement(tag, members = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(members)) {
        if (value === undefined) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name in element) element[name] = value;
        else element.setAttribute(name, value);
    }
    element.append(...children.flat().filter((child) => child));
    return element;
}

/** What one of `supportedAccess` and `supportedPermissions` names; all where nothing is given. */
function supportedOf(name, given, all) {
    const chosen = given === undefined || given === null ? all : asArray(given);
    if (chosen.length > 0 && chosen.every((one) => all.includes(one))) return chosen;
    throw invalidArguments(`'${name}' has ${all.join(" and ")}, or one of them.`);
}

/** The dialog in which a person says who has access to a record. What is done in it is saved at once. */
class ShareDialog {
    #item;
    #access;
    #permissions;
    #language;
    #text;
    #host;
    #root;
    #dialog;
    #title;
    #problem;
    #status;
    #main;
    #footer;
    #working = Promise.resolve();
    #isBusy = false;
    #isLoaded = false;
    #hasEnded = false;
    /** What those may do who are invited next, and those who have the link. */
    #chosen;

    constructor(item, { supportedAccess, supportedPermissions }, locale) {
        this.#item = item;
        this.#access = supportedOf("supportedAccess", supportedAccess, SHARE_ACCESS);
        this.#permissions = supportedOf("supportedPermissions", supportedPermissions, SHARE_PERMISSIONS);
        this.#chosen = { PRIVATE: this.#permissions[0], PUBLIC: this.#permissions[0] };
        this.#language = languageOf(locale);
        this.#text = shareTexts(this.#language);
    }

    /** Shows the dialog until it is closed, and gives `{share}`. */
    async run() {
        this.#build();
        document.body.append(this.#host);
        const closed = new Promise((resolve) => { this.#dialog.addEventListener("close", resolve, { once: true }); });
        this.#dialog.showModal();
        this.#title.focus();
        try {
            await this.#item.open();
            this.#isLoaded = true;
            this.#render();
            await closed;
            // What was begun before it was closed is part of the result.
            await this.#working;
        } finally {
            this.#dialog.close();
            this.#host.remove();
        }
        if (this.#item.share || this.#hasEnded) return { share: this.#item.share ?? null };
        throw localError("SHARE_UI_CANCELLED", "The dialog was closed, and nothing is shared.");
    }

    #build() {
        const t = this.#text;
        this.#host = makeElement("div", { "data-cloudkit-share": "" });
        // The page's own keys are not meant while somebody types here.
        for (const type of ["keydown", "keypress", "keyup"]) this.#host.addEventListener(type, (event) => event.stopPropagation());
        this.#root = this.#host.attachShadow({ mode: "open" });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(SHARE_STYLES);
        this.#root.adoptedStyleSheets = [sheet];
        this.#title = makeElement("h2", { id: "title", tabIndex: -1, dir: "auto" });
        this.#problem = makeElement("p", { role: "alert" });
        this.#status = makeElement("p", { role: "status" });
        this.#main = makeElement("main", {}, makeElement("p", { className: "row note", textContent: t("loading") }));
        this.#footer = makeElement("footer", {}, this.#doneButton());
        this.#dialog = makeElement(
            "dialog", { "aria-labelledby": "title", lang: this.#language },
            makeElement("header", {}, this.#title),
            makeElement("div", { className: "said" }, this.#problem, this.#status), this.#main, this.#footer);
        this.#showTitle();
        this.#root.append(this.#dialog);
    }

    #showTitle() {
        const { title } = this.#item;
        this.#title.textContent = title ? this.#text("shareTitled", { title }) : this.#text("share");
    }

    /** Draws what there is now; the focus stays at what it was at, or goes to the title. */
    #render() {
        if (!this.#isLoaded) return;
        const focused = this.#root.activeElement;
        const key = focused?.dataset.key;
        const isInside = this.#main.contains(focused) || this.#footer.contains(focused);
        const top = this.#main.scrollTop;
        const typed = this.#root.querySelector("[data-key=address]")?.value ?? "";
        this.#showTitle();
        this.#main.replaceChildren(...[
            this.#accessPart(), this.#invitePart(typed), this.#peoplePart(), this.#requestsPart(), this.#linkPart(), this.#blockedPart(),
        ].filter(Boolean));
        this.#footer.replaceChildren(...[this.#endButton(), this.#doneButton()].filter(Boolean));
        this.#main.scrollTop = top;
        if (isInside) (this.#root.querySelector(`[data-key="${CSS.escape(key ?? "")}"]`) ?? this.#title).focus();
    }

    /** Does something that takes its time, one at a time, and says what came of it. */
    #act(work) {
        if (this.#isBusy) return;
        this.#isBusy = true;
        this.#dialog.setAttribute("aria-busy", "true");
        this.#problem.textContent = "";
        this.#status.textContent = "";
        this.#working = (async () => {
            try {
                this.#status.textContent = await work() ?? this.#text("saved");
            } catch (error) {
                this.#problem.textContent = error.ckErrorCode === "NETWORK_ERROR"
                    ? this.#text("unreachable") : [error.reason ?? String(error), error.remedy].filter(Boolean).join(" ");
            }
            this.#isBusy = false;
            this.#dialog.removeAttribute("aria-busy");
            this.#render();
        })();
    }

    #change(change) { this.#act(async () => { await this.#item.change(change); }); }

    // ------------------------------------------------------------------------------------------------------- Parts

    get #share() { return this.#item.share; }
    get #isPublic() { return (this.#share?.publicPermission ?? "NONE") !== "NONE"; }
    get #maySelectPeople() { return this.#item.isManaged && !this.#isPublic && this.#access.includes("PRIVATE"); }

    /** Everybody who has the link, or those who are invited: the choices of the app, and what is so already. */
    #accessPart() {
        if (!this.#item.isManaged) return undefined;
        const t = this.#text;
        const now = this.#isPublic || (!this.#share && !this.#access.includes("PRIVATE")) ? "PUBLIC" : "PRIVATE";
        const choices = SHARE_ACCESS.filter((one) => one === now || this.#access.includes(one));
        const text = (access) => t(access === "PUBLIC" ? "anyone" : "invited");
        const choice = (access) => makeElement(
            "label", { className: "choice" },
            makeElement("input", {
                type: "radio", name: "access", checked: access === now, "data-key": `access-${access}`, onchange: () => this.#setAccess(access),
            }),
            text(access));
        const permission = now === "PUBLIC" && this.#permissionChoice(
            "public", this.#share?.publicPermission ?? this.#chosen.PUBLIC, t("permissionOfAnyone"), (chosen) => {
                this.#chosen.PUBLIC = chosen;
                if (this.#share) this.#change(ShareChange.setPublicPermission(chosen));
            });
        return makeElement(
            "fieldset", {}, makeElement("legend", { textContent: t("access") }),
            choices.length > 1 ? choices.map(choice) : makeElement("p", { textContent: text(now) }),
            permission && makeElement("div", { className: "row" }, permission),
            this.#isPublic && this.#access.includes("PRIVATE") && makeElement("p", { className: "note", textContent: t("anyoneNote") }));
    }

    async #setAccess(access) {
        const participants = this.#share?.participants ?? [];
        const losing = access === "PUBLIC"
            ? participants.some((one) => one.acceptanceStatus === "INVITED") : participants.some((one) => one.type === "PUBLIC_USER");
        const isSure = !losing
            || await this.#ask(this.#text(access === "PUBLIC" ? "toAnyone" : "toInvited"), this.#text("change"));
        if (!isSure) this.#render();
        else this.#change(ShareChange.setPublicPermission(access === "PUBLIC" ? this.#chosen.PUBLIC : "NONE"));
    }

    #invitePart(typed) {
        if (!this.#maySelectPeople) return undefined;
        const t = this.#text;
        const address = makeElement("input", {
            type: "email", required: true, id: "address", autocomplete: "off", value: typed, "data-key": "address", placeholder: "name@example.com",
        });
        const permission = this.#permissionChoice("invite", this.#chosen.PRIVATE, t("permission"), (chosen) => { this.#chosen.PRIVATE = chosen; });
        const submit = (event) => {
            event.preventDefault();
            if (!this.#isBusy) this.#invite(address);
        };
        return makeElement(
            "form", { onsubmit: submit },
            makeElement("section", {}, makeElement("h3", {}, makeElement("label", { htmlFor: "address", textContent: t("address") })),
                makeElement("div", { className: "row" }, address, permission, makeElement("button", { className: "primary", textContent: t("invite"), "data-key": "invite" }))));
    }

    #invite(field) {
        const address = field.value.trim();
        const isThere = this.#share?.participants?.some(({ userIdentity, acceptanceStatus }) => (
            userIdentity?.lookupInfo?.emailAddress?.toLowerCase() === address.toLowerCase()
            && ["INVITED", "ACCEPTED"].includes(acceptanceStatus)));
        if (isThere) {
            this.#status.textContent = "";
            this.#problem.textContent = this.#text("isInvited", { name: address });
            return;
        }
        this.#act(async () => {
            await this.#item.change(ShareChange.invite(address, this.#chosen.PRIVATE));
            field.value = "";
            return this.#text("invitedByLink", { name: address });
        });
    }

    #peoplePart() {
        const t = this.#text;
        const participants = this.#share?.participants ?? [];
        const rows = participants.map((one) => this.#participantRow(one));
        const isAlone = participants.every(({ type }) => type === "OWNER");
        return makeElement(
            "section", { "aria-labelledby": "people" }, makeElement("h3", { id: "people", textContent: t("people") }),
            rows.length > 0 && makeElement("ul", { role: "list" }, rows),
            isAlone && makeElement("p", { className: "note", textContent: t("onlyYou") }));
    }

    #participantRow(one) {
        const t = this.#text;
        const { participantId, type, acceptanceStatus, permission } = one;
        const isMine = participantId === this.#share.currentUserParticipant?.participantId;
        const isOneTime = isUnclaimed(one);
        const name = nameOf(one) ?? (isOneTime ? t("oneTimeLink") : t("somebody"));
        const shown = !isMine ? name : nameOf(one) ? t("you", { name }) : t("yourself");
        const state = type === "OWNER" || type === "ADMINISTRATOR" ? t(type)
            : isOneTime ? t("unused")
                : type === "PUBLIC_USER" && acceptanceStatus === "ACCEPTED" ? t("PUBLIC_USER")
                    : acceptanceStatus in SHARE_TEXTS ? t(acceptanceStatus) : "";
        const { emailAddress } = one.userIdentity?.lookupInfo ?? {};
        const isEditable = this.#item.isManaged && !this.#isPublic && type !== "OWNER" && !isMine;
        const isActive = ["INVITED", "ACCEPTED"].includes(acceptanceStatus);
        const link = isOneTime && this.#share.oneTimeStableUrlInfo?.oneTimeLinks?.find((link) => link.participantId === participantId);
        return makeElement(
            "li", {},
            makeElement("span", { className: "who" }, makeElement("bdi", { textContent: shown }),
                makeElement("small", {}, [emailAddress !== name && emailAddress, state].filter(Boolean).join(" · "))),
            makeElement("span", { className: "controls" }, link && this.#button("copy", t("copyOneTime"), `copy-${participantId}`, () => this.#copy(async () => link.webpageURL ?? link.shortGUID)),
            isActive && type !== "OWNER" && (isEditable
                ? this.#permissionChoice(participantId, permission, t("permissionOf", { name }), (chosen) => (
                    this.#change(ShareChange.setPermission(participantId, chosen))))
                : makeElement("small", { className: "note", textContent: permission in SHARE_TEXTS ? t(permission) : "" })),
            isEditable && makeElement("button", {
                type: "button", className: "icon", textContent: "×", title: t("remove"), "aria-label": t("removeName", { name }),
                "data-key": `remove-${participantId}`, onclick: () => this.#change(ShareChange.remove(participantId)),
            })));
    }

    #requestsPart() {
        const requesters = this.#item.isManaged ? this.#share?.requesters ?? [] : [];
        if (requesters.length === 0) return undefined;
        const t = this.#text;
        const rows = requesters.map((one) => {
            const name = nameOf(one) ?? t("somebody");
            const id = identifierOf(one);
            return makeElement(
                "li", {}, makeElement("bdi", { className: "who", textContent: name }),
                !this.#isPublic && this.#button("approve", t("approveName", { name }), `approve-${id}`, () => (
                    this.#change(ShareChange.approve(one, this.#chosen.PRIVATE)))),
                this.#button("deny", t("denyName", { name }), `deny-${id}`, () => this.#change(ShareChange.deny(one))),
                this.#button("block", t("blockName", { name }), `block-${id}`, () => this.#change(ShareChange.block(one))));
        });
        return makeElement(
            "section", { "aria-labelledby": "requests" }, makeElement("h3", { id: "requests", textContent: t("requests") }),
            makeElement("ul", { role: "list" }, rows));
    }

    #linkPart() {
        const t = this.#text;
        const address = addressOf(this.#share);
        if (!this.#item.isManaged && !address) return undefined;
        const isInvited = this.#maySelectPeople;
        return makeElement(
            "section", { "aria-labelledby": "link" }, makeElement("h3", { id: "link", textContent: t("link") }),
            makeElement("div", { className: "row" },
                address && makeElement("input", { value: address, readOnly: true, "aria-label": t("link"), "data-key": "link", onfocus: (event) => event.target.select() }),
                this.#button("copy", t("copy"), "copy", () => this.#copy(() => this.#makeLink()))),
            isInvited && makeElement("div", { className: "row" },
                this.#button("makeOneTimeLink", undefined, "one-time", () => this.#copy(() => this.#makeOneTimeLink())),
                makeElement("span", { className: "note", textContent: t("oneTimeNote") })),
            isInvited && makeElement("label", { className: "choice" },
                makeElement("input", {
                    type: "checkbox", checked: this.#share?.denyAccessRequests === false, "data-key": "requests",
                    onchange: (event) => this.#change(ShareChange.setRequestsAllowed(event.target.checked)),
                }), t("allowRequests")));
    }

    /** The address of the share, which is made where there is none. */
    async #makeLink() {
        const isPublic = !this.#access.includes("PRIVATE");
        return addressOf(this.#share ?? await this.#item.change(
            isPublic ? ShareChange.setPublicPermission(this.#chosen.PUBLIC) : ShareChange.nothing()));
    }

    async #makeOneTimeLink() {
        const participantId = await newUUID();
        const share = await this.#item.change(ShareChange.addOneTime(participantId, this.#chosen.PRIVATE));
        const link = share.oneTimeStableUrlInfo?.oneTimeLinks?.find((link) => link.participantId === participantId);
        return link?.webpageURL ?? link?.shortGUID ?? addressOf(share);
    }

    #blockedPart() {
        const blocked = this.#item.isManaged ? this.#share?.blocked ?? [] : [];
        if (blocked.length === 0) return undefined;
        const t = this.#text;
        const rows = blocked.map((one) => {
            const name = nameOf(one) ?? t("somebody");
            return makeElement(
                "li", {}, makeElement("bdi", { className: "who", textContent: name }),
                this.#button("unblock", t("unblockName", { name }), `unblock-${identifierOf(one)}`, () => this.#change(ShareChange.unblock(one))));
        });
        return makeElement(
            "section", { "aria-labelledby": "blocked" }, makeElement("h3", { id: "blocked", textContent: t("blocked") }),
            makeElement("ul", { role: "list" }, rows));
    }

    // -------------------------------------------------------------------------------------------------------- Controls

    #button(text, label, key, onclick, className = "") {
        return makeElement("button", { type: "button", className, textContent: this.#text(text), "aria-label": label, "data-key": key, onclick });
    }

    /** A choice among the app's permissions and the one of now; a text where there is nothing to choose. */
    #permissionChoice(key, current, label, choose) {
        const choices = [...new Set([...this.#permissions, current])].filter((one) => one in SHARE_TEXTS);
        const text = (permission) => this.#text(permission);
        if (choices.length < 2) return makeElement("span", { className: "note", textContent: text(current) });
        const options = choices.map((permission) => (
            makeElement("option", { value: permission, textContent: text(permission), selected: permission === current })));
        return makeElement(
            "select", { "aria-label": label, "data-key": `permission-${key}`, onchange: (event) => choose(event.target.value) }, options);
    }

    #doneButton() { return this.#button("done", undefined, "done", () => this.#dialog.close(), "primary"); }

    #endButton() {
        if (!this.#share) return undefined;
        const isOwner = this.#item.isInOwnersDatabase;
        const [word, note] = isOwner ? ["stop", "stopNote"] : ["leave", "leaveNote"];
        return this.#button(word, undefined, "end", async () => {
            if (this.#isBusy || !await this.#ask(this.#text(note), this.#text(word))) return;
            this.#act(async () => {
                await this.#item.end();
                this.#hasEnded = true;
                if (!isOwner) this.#dialog.close();
            });
        }, "danger");
    }

    /** Asks whether something is meant that cannot be undone. */
    async #ask(question, action) {
        const t = this.#text;
        const close = (answer) => () => dialog.close(answer);
        const dialog = makeElement(
            "dialog", { role: "alertdialog", "aria-labelledby": "question", lang: this.#language },
            makeElement("p", { id: "question", textContent: question }),
            makeElement("div", { className: "row" },
                makeElement("button", { type: "button", textContent: t("cancel"), onclick: close("") }),
                makeElement("button", { type: "button", className: "danger", textContent: action, onclick: close("yes") })));
        this.#root.append(dialog);
        const closed = new Promise((resolve) => { dialog.addEventListener("close", resolve, { once: true }); });
        dialog.showModal();
        await closed;
        dialog.remove();
        return dialog.returnValue === "yes";
    }

    /** Puts an address, which may have to be made first, where it can be pasted from. */
    #copy(find) {
        this.#act(async () => {
            const link = await find();
            if (!link) throw localError("UNEXPECTED_SERVER_RESPONSE", "The server gave no link to the share.");
            try {
                await navigator.clipboard.writeText(link);
                return this.#text("copied");
            } catch {
                return this.#text("notCopied", { link });
            }
        });
    }
}

const addressOf = (share) => share?.webpageURL ?? share?.shortGUID;

/** What a participant is called, as far as it is known. */
function nameOf({ userIdentity }) {
    const { nameComponents, lookupInfo } = userIdentity ?? {};
    const { givenName, familyName, nickname } = nameComponents ?? {};
    return [givenName, familyName].filter(Boolean).join(" ") || nickname || lookupInfo?.emailAddress || lookupInfo?.phoneNumber;
}

/** Whether a participant is a one-time link that nobody opened yet. */
function isUnclaimed({ type, acceptanceStatus, userIdentity }) {
    const { userRecordName, lookupInfo } = userIdentity ?? {};
    return type !== "OWNER" && acceptanceStatus === "INVITED" && !userRecordName && Object.keys(lookupInfo ?? {}).length === 0;
}
