// Tells the page that opened this window who signed in, if it is one of the app's, and closes the window.
const place = document.getElementById("handover");
if (place) {
  const { token, origins } = place.dataset;
  place.remove();
  if (window.opener && !window.opener.closed) {
    // A browser delivers a message only to a page of the origin that it is for.
    for (const origin of origins.split(" ").filter(Boolean)) {
      window.opener.postMessage({ ckWebAuthToken: token, ckSession: token }, origin);
    }
    window.close();
  }
}

// Somebody who signs in by a mailed link does so in the window that an app opened, or in another one. In both cases the
// window of the app goes on from where it began, as if the password had been typed there.
const arrival = document.getElementById("arrival");
if (arrival) {
  const { site, start, token, done } = arrival.dataset;
  const isAppWindow = () => window.opener && !window.opener.closed;
  /** Goes to where the window began; its page is to be left at once. */
  const goOn = () => {
    const from = sessionStorage.getItem("start");
    if (!isAppWindow() || !from?.startsWith(`${site}?`)) return;
    sessionStorage.setItem("goes-on", site);
    location.replace(from);
  };
  const windows = new BroadcastChannel("sign-in");
  if (start && isAppWindow()) {
    sessionStorage.setItem("start", start);
    const goesOn = sessionStorage.getItem("goes-on") === site;
    sessionStorage.removeItem("goes-on");
    const form = document.querySelector(`form[action^="${site}/continue"]`);
    if (goesOn && form) form.requestSubmit();
    // A link that was asked for in another app is none of this window's.
    windows.addEventListener("message", ({ data }) => {
      const app = new URL(start, location.href).searchParams.get("ckAPIToken");
      if (data.site === site && data.token === app) goOn();
    });
  } else if (done !== undefined) {
    if (token) windows.postMessage({ site, token });
    goOn();
  }
}
