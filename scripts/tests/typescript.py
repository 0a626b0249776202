#!/usr/bin/env python3
"""cloudkit.d.ts says of cloudkit.js what is true, as the TypeScript compiler reads it.

- Tests/JavaScript/types/sample.ts, in which every exported name is used, compiles in strict mode, and its wrong uses
  do not; compiled, it runs against a live server;
- the module exports just what is declared, and its objects have just the members that are declared;
- the apps of Examples that use the module agree with its declarations;
- all our JavaScript names only what there is, and calls functions with as many arguments as they take.
"""

import json
import pathlib
import re
import shutil
import subprocess

from support import ROOT, Workplace, client_settings, expect, free_port, get, main, start_with_user

CONTAINER = "iCloud.types"
JAVASCRIPT = {
    "noEmit": True, "allowJs": True, "checkJs": True, "target": "es2022", "module": "es2022",
    "lib": ["dom", "dom.iterable", "es2022"],
}
TYPES = ROOT / "Tests/JavaScript/types"
APPS = ["Examples/Players/players.js", "Examples/Discover/discover.js", "Examples/Discover/favourites.js"]


def program(name):
    path = shutil.which(name)
    expect(path is not None, f"There is no {name}; 'scripts/setup.sh test' installs it.")
    return path


# Errors that are ones in JavaScript, too; most others only say that `querySelector` may find any element.
FAULTS = {
    "TS2304": "no such name", "TS2305": "no such export", "TS2307": "no such module", "TS2451": "declared twice",
    "TS2552": "no such name", "TS2554": "another number of arguments", "TS2724": "no such export",
}


def ask_compiler(folder, files, **options):
    """What the compiler says of files that import /cloudkit.js, whose types are in the folder."""
    settings = {
        "target": "es2020", "module": "es2020", "moduleResolution": "node", "lib": ["dom", "es2020"], "types": [],
        "baseUrl": str(folder), "paths": {
            "/cloudkit.js": ["cloudkit.d.ts"], "/console/static/*": [f"{ROOT}/Sources/RecordConsole/Static/*"]},
        **options,
    }
    project = folder / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": settings, "files": [str(ROOT / file) for file in files]}))
    done = subprocess.run([program("tsc"), "-p", str(project)], capture_output=True, text=True, timeout=300, cwd=ROOT)
    return done.stdout + done.stderr


def compile_files(folder, files, **options):
    said = ask_compiler(folder, files, **options)
    expect(not said.strip(), f"tsc refuses {', '.join(files)}:\n{said}")


def check_sample(folder):
    compile_files(folder, ["Tests/JavaScript/types/sample.ts"], strict=True, outDir=str(folder))
    compiled = (folder / "sample.js").read_text()
    expect('"/cloudkit.js"' in compiled, "The compiled sample does not import /cloudkit.js")
    (folder / "sample.mjs").write_text(compiled.replace('"/cloudkit.js"', '"./cloudkit.mjs"'))
    print("  the sample compiles in strict mode, and its wrong uses do not")


def check_apps(folder):
    compile_files(folder, APPS, **JAVASCRIPT)
    print(f"  {' and '.join(APPS)} agree with the declarations")


def check_names(folder):
    # The parts of the client are one module.
    sources = ["core", "sign-in", "sharing", "share-texts", "share-dialog", "databases"]
    client = folder / "client.js"
    client.write_text("".join((ROOT / f"Sources/RecordServer/Resources/cloudkit-{name}.js").read_text() for name in sources))
    files = [
        str(path) for pattern in ("Sources/RecordConsole/Static/*.js", "Examples/**/*.js", "Tests/JavaScript/*.mjs")
        for path in sorted(ROOT.glob(pattern)) if ".build" not in path.parts]
    said = ask_compiler(folder, [str(client), *files], **JAVASCRIPT)
    faults = [
        line for line in said.splitlines()
        if (code := re.search(r"error (TS\d+)", line)) and code.group(1) in FAULTS and "'node:" not in line]
    expect(not faults, "The compiler finds:\n" + "\n".join(faults))
    print(f"  {len(files) + 1} files of JavaScript name only what there is")


def test():
    with Workplace("typescript") as work:
        port = free_port()
        _, tokens = start_with_user(work, CONTAINER, port)
        folder = work.path / "types"
        folder.mkdir()
        for served, name in (("/cloudkit.js", "cloudkit.mjs"), ("/cloudkit.d.ts", "cloudkit.d.ts")):
            status, text = get(port, served)
            expect(status == 200, f"{served} is answered with {status}")
            (folder / name).write_bytes(text)
        check_sample(folder)
        check_apps(folder)
        check_names(folder)
        compiler = pathlib.Path(program("tsc")).resolve().parents[1] / "lib/typescript.js"
        done = subprocess.run(
            [program("node"), str(TYPES / "declarations.mjs"), str(folder), str(compiler)], timeout=300, cwd=ROOT,
            env=client_settings(port, CONTAINER, tokens))
        expect(done.returncode == 0, "The tests above failed.")


if __name__ == "__main__":
    main(test)
