// Tells the page that opened this window who signed in, if it is one of the app's, and closes the window.
// A browser delivers a message only to a page of the origin that it is for.
const place = document.getElementById("handover");
const token = place.dataset.token;
place.remove();
if (window.opener && !window.opener.closed) {
  for (const origin of place.dataset.origins.split(" ").filter(Boolean)) {
    window.opener.postMessage({ ckWebAuthToken: token, ckSession: token }, origin);
  }
  window.close();
}
