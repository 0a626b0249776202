#!/usr/bin/env python3
"""What an app resolves and builds that depends on CloudKit or on CoreData alone, with `traits: []` as the README says.

A package of an app is written and resolved; nothing is compiled. The modules are those that the products need, by the manifest."""

import json
import subprocess

from support import ROOT, Workplace, expect, main

# The most packages that are resolved, this one not counted.
MOST = {"CoreData": 6, "CloudKit": 10}
# Packages of which an app must not compile anything.
SERVICE = {"hummingbird", "swift-nio", "swift-nio-ssl", "jwt-kit", "async-http-client", "swift-argument-parser"}

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "App", dependencies: [.package(name: "stratus", path: "{root}", traits: [])],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "{product}", package: "stratus")])])
"""


def swift_package(folder, *arguments):
    done = subprocess.run(
        ["swift", "package", "--package-path", str(folder), *arguments], capture_output=True, text=True, timeout=600)
    expect(done.returncode == 0, f"swift package {' '.join(arguments)} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def resolved(folder, product):
    """The names of the packages that an app of this product resolves."""
    (folder / "Sources/App").mkdir(parents=True)
    (folder / "Sources/App/main.swift").write_text(f"import {product}\n")
    (folder / "Package.swift").write_text(MANIFEST.format(root=ROOT, product=product))
    said = swift_package(folder, "show-dependencies", "--format", "json")
    names = set()

    def walk(package):
        for one in package["dependencies"]:
            names.add(one["identity"])
            walk(one)

    walk(json.loads(said[said.index("{"):]))
    return names - {ROOT.name.lower(), "stratus"}


def built(manifest, product):
    """The packages of others and the modules of ours that a product needs."""
    targets = {target["name"]: target for target in manifest["targets"]}
    waiting = next(one["targets"] for one in manifest["products"] if one["name"] == product)
    modules, packages = set(), set()
    while waiting:
        name = waiting.pop()
        if name in modules:
            continue
        modules.add(name)
        for dependency in targets[name]["dependencies"]:
            if "product" in dependency:
                packages.add(dependency["product"][1])
            else:
                waiting.append((dependency.get("target") or dependency["byName"])[0])
    return modules, packages


def test():
    manifest = json.loads(swift_package(ROOT, "dump-package"))
    with Workplace("app-packages") as workplace:
        for product, most in MOST.items():
            names = resolved(workplace.path / product, product)
            expect(len(names) <= most, f"An app of {product} resolves {len(names)} packages: {', '.join(sorted(names))}")
            modules, packages = built(manifest, product)
            expect(not packages & SERVICE, f"{product} compiles parts of {', '.join(packages & SERVICE)}")
            print(f"{product}: {len(names)} packages resolved ({', '.join(sorted(names))}); compiles {len(modules)} modules of ours "
                  f"and {', '.join(sorted(packages)) or 'no package of others'}")


if __name__ == "__main__":
    main(test)
