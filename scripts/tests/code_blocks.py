#!/usr/bin/env python3
"""The code in README.md, in the pages of Documentation and in the modules' documentation is true.

- Every block of Swift compiles against the built modules; those that say what they print are linked and run, and print
  it. The program for Core Data is generated, linked and run with the model of its page.
- Parts of a Package.swift are read by SwiftPM.
- The JavaScript runs against a live server; so do the curl lines and the commands, in a folder of their own.
"""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import textwrap
import time

from support import ROOT, TOKEN, Client, Workplace, client_settings, expect, free_port, get, main, stratus
from swiftmodules import COREDATA, VALUES, build, products, typecheck

README = ROOT / "README.md"
COREDATA_PAGE = ROOT / "Documentation/CoreData.md"
# Their commands run in this order: those for stores need no server.
COMMAND_PAGES = (COREDATA_PAGE, ROOT / "Documentation/CommandLine.md")

CONTAINER = "iCloud.com.example.app"
# Commands that need what is not there while the others run, and what they say then; they have tests of their own.
REFUSED = {
    "copy-store ": "is using sqlite:./data",
    "s3://": "There is no key for the S3-compatible store",
    " --at ": "There is no archive with a base",
}
# Behind a statement that prints a line: the line.
PRINTS = re.compile(r"// prints: (.*)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What stands around a block, found by words in it: values that it takes for granted, and imports that it leaves out.
SHOW = "show: @escaping @Sendable (URL?) -> Void"
SURROUNDINGS = {
    "recordSequence(matching: query) {\n    print": ("database: CKDatabase", ["CloudKit"]),
    "let names = CKQueryOperation": (f"recordID: CKRecord.ID, {SHOW}", ["CloudKit"]),
    "sectionNameKeyPath: \"chapterName\"": (
        "request: NSFetchRequest<NSManagedObject>, context: NSManagedObjectContext, courseId: Int, isAscending: Bool",
        ["CoreData"]),
    "TemporaryStore(modelNamed:": (
        "request: NSFetchRequest<NSManagedObject>", ["CoreData", "CoreDataTesting", "Testing"]),
    "ModelDocument(contentsOf:": ("", ["DataModel"]),
    "PhotoScaler(": ("database: CKDatabase, record: CKRecord, file: URL", ["CloudKit", "PhotoScaling"]),
    "account.signInWithBrowser": (
        "container: CKContainer, show: @escaping @Sendable (URL) -> Void", ["CloudKit"]),
    "account.signIn {": ("", ["CloudKit"]),
    "CKShare(rootRecord: list)": ("container: CKContainer, list: CKRecord, url: URL", ["CloudKit"]),
    "restaurant in database": ("show: (CKRecord) -> Void", []),
    "perRecordProgressBlock": (
        f"database: CKDatabase, record: CKRecord, restaurant: CKRecord, photo: URL, bar: ProgressBar, {SHOW}",
        ["CloudKit"]),
    "let engine = CKSyncEngine(": (
        "container: CKContainer, saved: CKSyncEngine.State.Serialization?, store: any CKSyncEngineDelegate,"
        " recordID: CKRecord.ID", ["CloudKit"]),
    "controller = NSFetchedResultsController(\n    fetchRequest": ("", []),
}
DECLARATIONS = """\
import CoreData
import RecordStorageMemory

final class ProgressBar: @unchecked Sendable { var progress = 0.0 }
typealias Course = NSManagedObject
typealias MyStore = MemoryStore
extension MemoryStore { convenience init(directory: String) { self.init() } }
"""


def blocks(path, language):
    return [body for name, body in BLOCK.findall(path.read_text()) if name == language]


def documents():
    return [
        README, *sorted(ROOT.glob("Documentation/*.md")), *sorted(ROOT.glob("Examples/*/README.md")),
        *sorted(ROOT.glob("Sources/*/*.docc/*.md")),
    ]


# ------------------------------------------------------------------------------------------------------------- Swift


def file_of(block, number):
    """The block as a file: its imports, and a function around its statements."""
    imports = re.findall(r"^import (\w+)$", block, re.MULTILINE)
    body = re.sub(r"^(import \w+|…)$\n?", "", block, flags=re.MULTILINE)
    parameters, more = next((around for words, around in SURROUNDINGS.items() if words in block), ("", []))
    top = "".join(f"import {name}\n" for name in sorted({*imports, *more, "Foundation"}))
    if re.search(r"^(final class|@Test|@Suite)", body, re.MULTILINE):
        return top + body
    if re.search(r"^controller = ", body, re.MULTILINE):  # A property of the app's own type.
        body = "var controller: NSFetchedResultsController<NSManagedObject>\n" + body
    return f"{top}\nfunc block{number}({parameters}) async throws {{\n{textwrap.indent(body, '    ')}}}\n"


def check_swift(folder):
    files, packages = [], []
    for document in documents():
        for block in blocks(document, "swift"):
            if ".product(name:" in block:
                packages.append(block)
            elif "@main" not in block:  # The program is run.
                file = folder / f"Block{len(files)}.swift"
                file.write_text(f"// {document.relative_to(ROOT)}\n" + file_of(block, len(files)))
                files.append(file)
    declarations = folder / "Declarations.swift"
    declarations.write_text(DECLARATIONS)
    typecheck([*files, declarations], "-parse-as-library", warnings=True)
    print(f"  {len(files)} blocks of Swift compile")
    for block in packages:
        dependency = '.package(name: "stratus", path: "../stratus", traits: [])'
        body = block if "targets:" in block else f"dependencies: [{dependency}], targets: [{block}]"
        (folder / "Package.swift").write_text(
            f"// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: \"App\", {body})\n")
        done = subprocess.run(
            ["swift", "package", "--package-path", str(folder), "dump-package"], capture_output=True, text=True,
            timeout=300)
        expect(done.returncode == 0, f"SwiftPM refuses:\n{block}\n{done.stderr}")
    (folder / "Package.swift").unlink()
    print(f"  {len(packages)} parts of a Package.swift are read")


def run_values(folder):
    """Blocks that say what they print, as one program: it prints that, in this order."""
    found = [block for document in documents() for block in blocks(document, "swift") if PRINTS.search(block)]
    found = [block for block in found if "@main" not in block]
    expect(len(found) >= 4, f"Only {len(found)} blocks say what they print")
    files = []
    for number, block in enumerate(found):
        files.append(folder / f"Value{number}.swift")
        files[-1].write_text(file_of(block, number))
    files.append(folder / "main.swift")
    files[-1].write_text("".join(f"try await block{number}()\n" for number in range(len(found))))
    executable = folder / "Values"
    build(files, executable, modules=VALUES, warnings=True)
    done = subprocess.run([str(executable)], capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"The blocks end with {done.returncode}:\n{done.stdout}{done.stderr}")
    promised = [line for block in found for line in PRINTS.findall(block)]
    for promise, line in itertools.zip_longest(promised, done.stdout.splitlines()):
        expect(promise == line, f"A block says that it prints '{promise}', and prints '{line}'")
    print(f"  {len(found)} blocks of Swift run, and print the {len(promised)} lines that they say")


def run_program(folder):
    """The page's program with the page's model, as the plugin would have it built; gives its store's folder."""
    [model] = blocks(COREDATA_PAGE, "xml")
    [program] = [block for block in blocks(COREDATA_PAGE, "swift") if "@main" in block]
    package = folder / "Courses.xcdatamodeld"
    contents = package / "Courses.xcdatamodel/contents"
    contents.parent.mkdir(parents=True)
    contents.write_text(model)
    source = folder / "App.swift"
    source.write_text(program)
    subprocess.run(
        [str(products() / "managed-object-generator"), "generate", "--module", "App", "--output", str(folder),
         "--source", str(source), "--model", str(package)], check=True, timeout=60)
    executable = folder / "App"
    build(
        [source, *sorted(folder.glob("ManagedObject*.swift"))], executable, "-parse-as-library", "-module-name", "App",
        modules=COREDATA, warnings=True)
    stores = folder / "stores"
    done = subprocess.run(
        [str(executable)], capture_output=True, text=True, timeout=60, cwd=folder,
        env=os.environ | {"STRATUS_COREDATA_DIRECTORY": str(stores)})
    expect(done.returncode == 0, f"The program ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    promised = re.search(r"// prints: (.*)", program).group(1)
    expect(promised in done.stdout.splitlines(), f"The program prints no '{promised}':\n{done.stdout}")
    print(f"  the program for Core Data runs, and prints '{promised}'")
    return next(stores.rglob("Courses.sqlite")), package


# ------------------------------------------------------------------------------------------- JavaScript and the shell


def run_javascript(folder, port, tokens):
    """The README's module; the records that it asks for are there, and it is given a file."""
    client = Client(port, CONTAINER, "public", *tokens)
    restaurant = {"recordType": "Restaurant", "fields": {"name": {"value": "Nonna"}}}
    client.ask("records/modify", {"operations": [{"operationType": "create", "record": restaurant}] * 20})
    client.close()
    [code] = blocks(README, "js")
    address = '"http://127.0.0.1:8080/cloudkit.js"'
    expect(address in code, f"The README's JavaScript imports no {address}")
    (folder / "cloudkit.mjs").write_bytes(get(port, "/cloudkit.js")[1])
    code = code.replace(address, '"./cloudkit.mjs"')
    for token in tokens:
        code = code.replace('"…"', f'"{token}"', 1)
    expect("…" not in code, f"The README's JavaScript has more to fill in:\n{code}")
    code = code.replace("CloudKit.configure({", f'CloudKit.configure({{ url: "http://127.0.0.1:{port}",')
    program = f"""const file = new Blob(["photo"]);
        {code}
        const {{ records }} = await database.performQuery({{ recordType: "Restaurant" }});
        if (!records.some((record) => record.fields.name.value === "Olive")) throw new Error("Nothing was saved.");
    """
    (folder / "readme.mjs").write_text(program)
    done = subprocess.run(
        [shutil.which("node") or "node", str(folder / "readme.mjs")], capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"The README's JavaScript fails:\n{done.stderr}")
    print("  the README's JavaScript runs")


def run_curl(work):
    """The README's curl lines, against a small demo."""
    port = free_port()
    demo = work.start("demo", "demo-data", port, "--quick", "--restaurants", "0")
    demo.wait_until_ready()
    found = None
    while not found:
        found = re.search(r"'(http://\S+/public)/records/query\?ckAPIToken=(\w+)'", demo.text)
        time.sleep(0.05)
    lines = [block for block in blocks(README, "") if block.startswith("curl ")]
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, timeout=60,
            env=os.environ | {"URL": found.group(1), "TOKEN": found.group(2)})
        expect(re.search(r'"count":[1-9]|"recordName":', done.stdout), f"{line}\nis answered with {done.stdout}")
    print(f"  {len(lines)} curl lines of the README find something")


def commands():
    """The commands of the pages, without what is said about them after wide spaces."""
    for page in COMMAND_PAGES:
        lines = [line for block in blocks(page, "") for line in block.splitlines() if line.startswith("stratus ")]
        expect(lines, f"{page.name} has no commands")
        for line in lines:
            yield re.split(r"\s{3,}", line)[0]


def run_commands(work, store, model):
    """The pages' commands in a folder with what they name; gives the server's port and the tokens they made."""
    place = work.path / "place"
    (place / "FOLDER").mkdir(parents=True)
    for folder in (place, place / "FOLDER"):
        shutil.copy(store, folder / "Courses.sqlite")
        shutil.copytree(model, folder / "Courses.xcdatamodeld")
    (place / "players.csv").write_text("name,level\nAda,3\nBob,4\n")
    # A key of the form in which Apple gives them out.
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
         place / "AuthKey_ABC123DEFG.p8"], check=True, capture_output=True)
    port = free_port()
    tokens = []
    path = f"{pathlib.Path(stratus()).resolve().parent}:{os.environ['PATH']}"
    count = 0
    for command in commands():
        count += 1
        if command == "stratus serve --data ./data":
            work.start("serve", "place/data", port).wait_until_ready()
            continue
        refusal = next((sentence for words, sentence in REFUSED.items() if words in command), None)
        if refusal:
            refused = subprocess.run(
                ["bash", "-c", command], capture_output=True, text=True, timeout=60, cwd=place,
                env={"PATH": path, "HOME": str(work.path)})
            expect(refusal in refused.stderr, f"'{command}' says {refused.stderr}")
            continue
        settings = client_settings(port, CONTAINER, tokens) if len(tokens) == 2 else os.environ.copy()
        if command.startswith("stratus login "):
            # Waits for somebody with a browser; devices.py is one.
            login = subprocess.Popen(
                [stratus(), *command.split()[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=place,
                env=settings | {"XDG_CONFIG_HOME": str(place)})
            said = login.stdout.readline()
            login.kill()
            login.wait()
            expect("enter the code" in said, f"'{command}' says {said}")
            continue
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, timeout=120, cwd=place,
            stdin=subprocess.DEVNULL, env=settings | {"PATH": path})
        expect(done.returncode == 0, f"'{command}' ends with {done.returncode}:\n{done.stdout}{done.stderr}")
        if command.startswith("stratus token create"):
            tokens.append(TOKEN.search(done.stdout).group())
    print(f"  {count} commands of the pages run")
    return port, tokens


def test():
    with Workplace("code-blocks") as work:
        for name in ("swift", "values", "program", "javascript"):
            (work.path / name).mkdir()
        check_swift(work.path / "swift")
        run_values(work.path / "values")
        store, model = run_program(work.path / "program")
        port, tokens = run_commands(work, store, model)
        run_javascript(work.path / "javascript", port, tokens)
        run_curl(work)


if __name__ == "__main__":
    main(test)
