// A page that shares, on another origin than the server's and with a strict policy: the test puts what is to be shared into
// `window.options`, presses the button, and reads what came of it in the body's `data-result`.

const { server, locale, container, apiToken, webAuthToken } = Object.fromEntries(new URLSearchParams(location.search));
const { default: CloudKit } = await import(`${server}/cloudkit.js`);

/** The container as another user. */
window.connect = (ckWebAuthToken) => CloudKit.configure({
    url: server, locale, containers: [{ containerIdentifier: container, environment: "development", apiTokenAuth: { apiToken, ckWebAuthToken } }],
}).getDefaultContainer();
window.container = window.connect(webAuthToken);
window.database = window.container.privateCloudDatabase;

document.querySelector("#share").addEventListener("click", async () => {
    delete document.body.dataset.result;
    const result = await window.database.shareWithUI(window.options).catch(({ ckErrorCode, reason }) => ({ ckErrorCode, reason }));
    document.body.dataset.result = JSON.stringify(result);
});
// Keys of the page, which are none while somebody writes in the dialog.
addEventListener("keydown", ({ key }) => { document.body.dataset.keys = (document.body.dataset.keys ?? "") + key; });
document.body.dataset.ready = "";
