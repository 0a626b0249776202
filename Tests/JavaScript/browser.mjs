// Runs the suite in a page; what came out is in the list and, for the test, in the body's `data-results`.

import { suite } from "./suite.mjs";

const { server, ...tokens } = Object.fromEntries(new URLSearchParams(location.search));
const loaded = new Promise((resolve) => { addEventListener("cloudkitloaded", () => resolve(window.CloudKit)); });
const module = await import(`${server}/cloudkit.js`);
const endpoints = Object.keys((await (await fetch(`${server}/openapi.json`)).json()).paths);
// No `url`: the module knows which server it came from.
const scenarios = [
    { name: "is a global, and says when it is there", run: async () => {
        const CloudKit = await loaded;
        if (CloudKit !== module.default || module.CloudKit !== module.default) throw new Error("three of a kind");
    } },
    ...suite(module.default, { ...tokens, endpoints }),
];

const results = [];
for (const { name, skip, run } of scenarios) {
    const result = { name, outcome: skip ? "skipped" : "passed", reason: skip || "" };
    try {
        if (!skip) await run();
    } catch (error) {
        Object.assign(result, { outcome: "failed", reason: String(error) });
    }
    results.push(result);
    const item = document.createElement("li");
    item.textContent = `${result.outcome}: ${name} ${result.reason}`;
    document.querySelector("ul").append(item);
}
document.body.dataset.results = JSON.stringify(results);
