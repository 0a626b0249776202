// Holds cloudkit.d.ts against the module itself, both ways, with the compiler's own reading of the declarations, and
// runs the compiled sample. `scripts/tests/typescript.py` prepares FOLDER: cloudkit.mjs and cloudkit.d.ts as a
// server sends them, sample.mjs as the compiler made it.
//
//   node declarations.mjs FOLDER TYPESCRIPT

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const [folder, compiler] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(compiler);
const module = await import(pathToFileURL(join(folder, "cloudkit.mjs")));
const { CKError, CloudKit } = module;

const typesPath = join(folder, "cloudkit.d.ts");
const samplePath = fileURLToPath(new URL("sample.ts", import.meta.url));
const program = ts.createProgram([typesPath, samplePath], {
    strict: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2020, lib: ["lib.dom.d.ts", "lib.es2020.d.ts"],
});
const checker = program.getTypeChecker();
const declarations = program.getSourceFile(typesPath);
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(declarations));

/** The exported symbol of a name. */
const symbol = (name) => exported.find((candidate) => candidate.name === name);
const isValue = (candidate) => {
    const isAlias = (candidate.flags & ts.SymbolFlags.Alias) !== 0;
    return ((isAlias ? checker.getAliasedSymbol(candidate) : candidate).flags & ts.SymbolFlags.Value) !== 0;
};
const isOurs = (candidate) => candidate.declarations?.some((node) => node.getSourceFile() === declarations);
/** The properties of a type: all, and those that our own file declares. */
const properties = (type) => {
    const all = checker.getPropertiesOfType(type).filter(({ name }) => name !== "prototype");
    return { all: all.map(({ name }) => name), ours: all.filter(isOurs).map(({ name }) => name) };
};
const instanceType = (name) => checker.getDeclaredTypeOfSymbol(symbol(name));
const valueType = (name) => checker.getTypeOfSymbolAtLocation(symbol(name), declarations);

/** Everything declared is there, and everything that is there is declared. */
function sameNames({ all, ours }, found, what) {
    assert.deepEqual(ours.filter((name) => !found.has(name)), [], `declared, but not in the module: ${what}`);
    assert.deepEqual([...found].filter((name) => !all.includes(name)), [], `in the module, but not declared: ${what}`);
}

/** The names that an object has, of its own and from its classes. */
function members(object) {
    const found = new Set();
    for (let part = object; part !== Object.prototype && part !== Error.prototype; part = Object.getPrototypeOf(part)) {
        for (const name of Object.getOwnPropertyNames(part)) if (name !== "constructor") found.add(name);
    }
    return found;
}

const container = CloudKit.configure({
    url: "http://127.0.0.1", containers: [
        { containerIdentifier: "iCloud.a", environment: "development", apiTokenAuth: { apiToken: "a" } },
    ],
}).getDefaultContainer();

/** One object of each class. */
const instances = {
    CKError: new CKError({}),
    Container: container,
    Database: container.publicCloudDatabase,
    RecordsBatchBuilder: container.publicCloudDatabase.newRecordsBatch(),
    RecordZonesBatchBuilder: container.publicCloudDatabase.newRecordZonesBatch(),
    SubscriptionsBatchBuilder: container.publicCloudDatabase.newSubscriptionsBatch(),
    RecordsResponse: new module.RecordsResponse([]),
    QueryResponse: new module.QueryResponse([], undefined, {}),
    RecordZonesResponse: new module.RecordZonesResponse([]),
    RecordZoneChangesResponse: new module.RecordZoneChangesResponse([]),
    DatabaseChangesResponse: new module.DatabaseChangesResponse({}),
    RecordInfosResponse: new module.RecordInfosResponse([]),
    SubscriptionsResponse: new module.SubscriptionsResponse([]),
    LiveQuery: container.publicCloudDatabase.liveQuery({ recordType: "A" }, () => undefined),
    LiveCount: container.publicCloudDatabase.liveCount({ recordType: "A" }, () => undefined),
    Notification: new module.Notification({ ck: { met: { zid: "Z" } } }),
    QueryNotification: new module.QueryNotification({ ck: { qry: { zid: "Z" } } }),
    RecordZoneNotification: new module.RecordZoneNotification({ ck: { fet: { zid: "Z" } } }),
};
instances.LiveQuery.close();
instances.LiveCount.close();
const classNames = Object.keys(module).filter((name) => /^class\b/.test(String(module[name])));

test("the declarations are without errors", () => {
    const faults = ts.getPreEmitDiagnostics(program, declarations);
    assert.deepEqual(faults.map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, "\n")), []);
});

test("the module exports the values that are declared", () => {
    assert.deepEqual(exported.filter(isValue).map(({ name }) => name).sort(), Object.keys(module).sort());
    assert.deepEqual(Object.keys(instances).sort(), classNames.sort(), "this test makes an object of each class");
});

for (const [name, instance] of Object.entries(instances)) {
    test(`the objects of ${name} have the members that are declared`, () => {
        assert.equal(instance.constructor, module[name]);
        sameNames(properties(instanceType(name)), members(instance), name);
    });

    test(`${name} has the static members that are declared`, () => {
        const found = new Set(Object.getOwnPropertyNames(module[name]));
        for (const usual of ["length", "name", "prototype"]) found.delete(usual);
        sameNames(properties(valueType(name)), found, name);
    });

    test(`${name}'s methods take no fewer arguments than are declared as needed`, () => {
        for (const member of checker.getPropertiesOfType(instanceType(name)).filter(isOurs)) {
            for (const signature of checker.getTypeOfSymbolAtLocation(member, declarations).getCallSignatures()) {
                const needed = signature.parameters.filter(({ valueDeclaration }) => !valueDeclaration.questionToken);
                const taken = instance[member.name].length;
                assert.ok(taken >= needed.length, `${name}.${member.name} takes ${taken}, declared ${needed.length}`);
                assert.ok(taken <= signature.parameters.length, `${name}.${member.name} takes ${taken}`);
            }
        }
    });
}

test("CloudKit has the members that are declared", () => {
    sameNames(properties(valueType("CloudKit")), members(CloudKit), "CloudKit");
    for (const name of [
        "DatabaseScope", "ReferenceAction", "QueryFilterComparator", "AppleIDButtonTheme", "ShareParticipantPermission",
        "ShareParticipantAcceptanceStatus", "ShareParticipantType",
    ]) {
        const type = checker.getTypeOfPropertyOfType(valueType("CloudKit"), name);
        assert.deepEqual(properties(type).all.sort(), Object.keys(CloudKit[name]).sort(), name);
        for (const [key, value] of Object.entries(CloudKit[name])) assert.equal(key, value);
    }
});

test("constants have the values that are declared", () => {
    const compare = (type, object, what) => {
        for (const member of checker.getPropertiesOfType(type)) {
            const declared = checker.getTypeOfSymbolAtLocation(member, declarations);
            if (declared.isStringLiteral()) assert.equal(object[member.name], declared.value, `${what}.${member.name}`);
        }
    };
    compare(valueType("CloudKit"), CloudKit, "CloudKit");
    compare(valueType("CKError"), CKError, "CKError");
});

test("the sample uses every exported name, and every member of a class", () => {
    const used = new Set();
    const visit = (node) => {
        if (ts.isIdentifier(node)) used.add(node.text);
        ts.forEachChild(node, visit);
    };
    visit(program.getSourceFile(samplePath));
    const wanted = exported.map(({ name }) => name).filter((name) => name !== "default");
    for (const name of [...classNames, "CloudKit"]) wanted.push(...properties(instanceType(name)).ours);
    assert.deepEqual(wanted.filter((name) => !used.has(name)), []);
});

test("the sample runs", async () => {
    const sample = await import(pathToFileURL(join(folder, "sample.mjs")));
    const { STRATUS_URL: url, STRATUS_CONTAINER, STRATUS_API_TOKEN, STRATUS_WEB_AUTH_TOKEN } = process.env;
    await sample.run({
        url, container: STRATUS_CONTAINER, apiToken: STRATUS_API_TOKEN, webAuthToken: STRATUS_WEB_AUTH_TOKEN,
    });
});
