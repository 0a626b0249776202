// --------------------------------------------------------------------------------------------------------- Signing in

/** The language of what people are shown: that of the configuration's `locale`, or the page's. */
const languageOf = (locale) => (
    locale ?? globalThis.document?.documentElement.lang ?? "en").slice(0, 2).toLowerCase();

/** What the buttons say. */
const BUTTON_TEXTS = {
    en: ["Sign in", "Sign out"], de: ["Anmelden", "Abmelden"], es: ["Iniciar sesión", "Cerrar sesión"],
    fr: ["Se connecter", "Se déconnecter"], ja: ["サインイン", "サインアウト"],
};
/** The size of the window with the sign-in page, as CloudKit JS opens it. */
const WINDOW_FEATURES = "popup,width=640,height=525";

/** The button, the window and the kept token by which people sign in to one container. */
class SignIn {
    #session;
    #configuration;
    #store;
    #texts;
    #tell;
    /** Between the windows of the app: which of them signed out. */
    #windows;
    /** Ends the waiting for a page that was opened before and closed, perhaps, without signing in. */
    #waiting;

    /** @param {object} tell `enter(token)` is called when somebody signed in, `leave()` when another window signed out */
    constructor(session, configuration, { store, locale }, tell) {
        this.#session = session;
        this.#configuration = configuration;
        this.#store = store ?? (configuration.apiTokenAuth.persist ? localTokens(session.environment) : undefined);
        this.#texts = BUTTON_TEXTS[languageOf(locale)] ?? BUTTON_TEXTS.en;
        this.#tell = tell;
        session.onToken = (token) => this.keep(token);
        // Another window of the app may have got the next token: the one before is not good for long. After it signed out,
        // who signs in there may be somebody else.
        const key = localKey(this.#container, session.environment);
        globalThis.addEventListener?.("storage", (event) => {
            // Without a key, all that the browser kept was removed.
            const isOurs = (event.key === key || event.key === null) && event.storageArea === globalThis.localStorage;
            if (!isOurs || store || !this.#store || !session.webAuthToken) return;
            if (event.newValue) session.webAuthToken = event.newValue;
            else this.#left();
        });
        // No event tells of a place that the app chose.
        if (store && globalThis.document && globalThis.BroadcastChannel) {
            this.#windows = new BroadcastChannel(key);
            this.#windows.addEventListener("message", ({ data }) => {
                if (data === "signed out" && session.webAuthToken) this.#left();
            });
        }
    }

    /** What goes wrong after another window signed out, nobody here waits for. */
    #left() { this.#tell.leave().catch((error) => globalThis.reportError?.(error)); }

    get #container() { return this.#configuration.containerIdentifier; }

    /** The token that was kept, where there is none in the configuration. */
    async begin() {
        if (!this.#session.webAuthToken && this.#store) {
            this.#session.webAuthToken = (await this.#store.getToken(this.#container)) || undefined;
        }
    }

    /** Keeps the token of now; null forgets it. */
    async keep(token) {
        try {
            await this.#store?.putToken(this.#container, token);
        } catch (cause) {
            throw localError("AUTH_PERSIST_ERROR", "The token could not be kept.", cause);
        }
    }

    /** Tells the other windows of the app that somebody signed out here; the browser's storage does so itself. */
    tellWindows() { this.#windows?.postMessage("signed out"); }

    /** Whether the page has a place for the button. */
    get hasPlace() { return this.#place("signInButton", "apple-sign-in-button") !== null; }

    #place(name, usual) {
        return globalThis.document?.getElementById(this.#configuration.apiTokenAuth[name]?.id ?? usual) ?? null;
    }

    /** Shows the button that opens the sign-in page. */
    offer(redirectURL) {
        this.#show("signInButton", "apple-sign-in-button", this.#texts[0], () => this.#open(redirectURL));
        this.#place("signOutButton", "apple-sign-out-button")?.replaceChildren();
    }

    /** Shows the button that signs out. */
    welcome(signOut) {
        this.#show("signOutButton", "apple-sign-out-button", this.#texts[1], signOut);
        this.#place("signInButton", "apple-sign-in-button")?.replaceChildren();
    }

    #show(name, usual, text, act) {
        const place = this.#place(name, usual);
        if (!place) return;
        const button = document.createElement("button");
        button.type = "button";
        button.className = name === "signInButton" ? "cloudkit-sign-in" : "cloudkit-sign-out";
        button.textContent = text;
        button.addEventListener("click", act);
        place.replaceChildren(button);
    }

    /** Opens the page, and waits for what it tells. */
    #open(redirectURL) {
        const url = new URL(redirectURL);
        url.searchParams.set("origin", location.origin);
        const page = window.open(url.href, "_blank", WINDOW_FEATURES);
        if (!page) return;
        this.#waiting?.abort();
        const waiting = this.#waiting = new AbortController();
        const take = (event) => {
            // Only the window that was opened, and only while the server's page is in it.
            if (event.source !== page || event.origin !== url.origin) return;
            const token = event.data?.ckSession;
            if (typeof token !== "string" || token === "") return;
            waiting.abort();
            this.#session.webAuthToken = token;
            this.#tell.enter(token);
        };
        window.addEventListener("message", take, { signal: waiting.signal });
    }
}

const localKey = (container, environment) => `cloudkit.${container}.${environment}`;

/** Tokens in the browser's storage, for all windows of the app; nothing where a browser has none. */
function localTokens(environment) {
    return {
        putToken(container, token) {
            const key = localKey(container, environment);
            if (token) globalThis.localStorage?.setItem(key, token);
            else globalThis.localStorage?.removeItem(key);
        },
        getToken: (container) => globalThis.localStorage?.getItem(localKey(container, environment)) ?? null,
    };
}

