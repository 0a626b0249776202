#!/usr/bin/env python3
"""Draws the modules of Package.swift as ARCHITECTURE.md shows them: Documentation/images/modules.svg.

An arrow means 'uses'. Arrows that follow from others are left out: what StratusCloudKit uses of RecordModel through
RecordWire needs no arrow of its own. Tests, examples and packages of others are left out too.

    scripts/module_map.py           draws
    scripts/module_map.py --check   fails where the drawing is not what Package.swift says, a module has no row in
                                    ARCHITECTURE.md's table, the table of dependencies names others than use them, or
                                    sources import what Package.swift does not declare, or do not import what it does
"""

import functools
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DRAWING = ROOT / "Documentation/images/modules.svg"
PAGE = ROOT / "ARCHITECTURE.md"

BOX_HEIGHT, LAYER_HEIGHT, GAP, MARGIN, CHARACTER = 30, 72, 12, 20, 7.5
SWEEPS = 40

# Linked without an import: the graph finds the class of the SQLite store by its name (decision 28), and Swift the parts
# of a module in one of C that has the same name.
LINKED_BY_NAME = {
    "CloudKit": {"CCloudKit"}, "CoreData": {"CCoreData", "CoreDataSQLiteStore"}, "CoreDataInspection": {"CoreDataSQLiteStore"},
}
# The libraries of the system, as the table of dependencies calls them.
HEADERS = {"SQLite": "CStratusSQLite", "libcurl": "CCurl", "libpq": "CLibPQ", "zlib": "CZlib", "libgd": "CGD"}
IMPORT = re.compile(
    r"^\s*(?:(?:@\w+(?:\(\w+\))?|public|package|internal|fileprivate|private)\s+)*"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)", re.MULTILINE)

STYLE = """
    .page { fill: #ffffff; stroke: #d0d7de; }
    .module { fill: #f6f8fa; stroke: #8c959f; }
    .product { fill: #ddf4ff; stroke: #0969da; }
    .command { fill: #fbefff; stroke: #8250df; }
    .system { fill: #fff8c5; stroke: #9a6700; }
    text { fill: #1f2328; font-size: 13px; text-anchor: middle; }
    .line { stroke: #59636e; stroke-width: 1.2; fill: none; }
    .head { fill: #59636e; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #3d444d; }
      .module { fill: #151b23; stroke: #656c76; }
      .product { fill: #0c2d57; stroke: #4493f8; }
      .command { fill: #2b1a45; stroke: #ab7df8; }
      .system { fill: #3b2e00; stroke: #d29922; }
      text { fill: #f0f6fc; }
      .line { stroke: #9198a1; }
      .head { fill: #9198a1; }
    }"""


# ----------------------------------------------------------------------------------------------------- Package.swift


def described():
    """Package.swift as SwiftPM reads it."""
    done = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"Package.swift cannot be read:\n{done.stderr}")
    return json.loads(done.stdout)


def package(description):
    """The modules that live in Sources with what each uses of the others, and what kind of module each is."""
    targets = {
        target["name"]: target for target in description["targets"]
        if target["type"] in ("regular", "executable", "system")
        and (target.get("path") or "Sources/").startswith("Sources/")
    }
    uses = {name: {used for used in names_used(target) if used in targets} for name, target in targets.items()}
    libraries = {name for product in description["products"] if "library" in product["type"]
                 for name in product["targets"]}
    kinds = {}
    for name, target in targets.items():
        special = {"system": "system", "executable": "command"}.get(target["type"])
        kinds[name] = special or ("product" if name in libraries else "module")
    return uses, kinds


def names_used(target):
    return [next(iter(entry.values()))[0] for entry in target["dependencies"]]


def import_faults(description):
    """Where the imports of a target are not what Package.swift declares for it."""
    targets = {target["name"]: target for target in description["targets"] if target["type"] not in ("system", "plugin")}
    known = {target["name"] for target in description["targets"]}.union(*map(names_used, targets.values()))
    for name, target in sorted(targets.items()):
        folder = ROOT / (target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{name}")
        sources = [file for file in folder.rglob("*.swift")
                   if not set(file.relative_to(folder).parts) & set(target.get("exclude") or [])]
        if not sources:
            continue
        imported = {found for file in sources for found in IMPORT.findall(file.read_text())} & known - {name}
        declared = set(names_used(target))
        for other in sorted(imported - declared):
            yield f"{name} imports {other}, which Package.swift does not declare for it"
        for other in sorted(declared - imported - LINKED_BY_NAME.get(name, set())):
            yield f"{name} does not import {other}, which Package.swift declares for it"


def table_faults(description, uses, page):
    """Where the last column of the table of dependencies names others than the modules that declare them."""
    users = {}
    for target in description["targets"]:
        if target["name"] not in uses:
            continue
        for entry in target["dependencies"]:
            kind, value = next(iter(entry.items()))
            users.setdefault(value[1] if kind == "product" else value[0], set()).add(target["name"])
    rows = page.partition("\n## Dependencies")[2].partition("\n## ")[0]
    for packages, cell in re.findall(r"^\| ([^|]+) \|.*\| ([^|]+) \|$", rows, re.MULTILINE):
        names = [name.removesuffix(" (system)") for name in packages.split(", ")]
        right = set().union(*(users.get(HEADERS.get(name, name), set()) for name in names))
        said = {word for word in re.findall(r"[\w-]+", cell) if word in uses}
        if said != right:
            yield f"ARCHITECTURE.md's row of {packages} must name {', '.join(sorted(right)) or 'no module'}"


def reduced(uses):
    """Without the arrows that follow from others."""
    @functools.cache
    def reached(name):
        return uses[name].union(*(reached(used) for used in uses[name])) if uses[name] else set()

    return {
        name: {used for used in direct if not any(used in reached(other) for other in direct - {used})}
        for name, direct in uses.items()
    }


# ------------------------------------------------------------------------------------------------------------ Layout


def layers_of(uses):
    """The height of each module above the ground: above all that it uses and below all that use it; where that leaves
    a choice, in the layer with the most room."""
    @functools.cache
    def height(name):
        return 1 + max((height(used) for used in uses[name]), default=-1)

    heights = {name: height(name) for name in uses}
    top = max(heights.values())
    users = {name: [user for user in uses if name in uses[user]] for name in uses}
    widths = [sum(width_of(name) + GAP for name in uses if heights[name] == layer) for layer in range(top + 1)]
    # Those at the top first, so that what they use may follow them.
    for name in sorted(uses, key=lambda name: (-heights[name], name)):
        highest = min((heights[user] for user in users[name]), default=top) - 1
        choice = min(
            range(heights[name], max(heights[name], highest) + 1),
            key=lambda layer: (widths[layer] + (width_of(name) if layer != heights[name] else 0), layer))
        widths[heights[name]] -= width_of(name) + GAP
        heights[name] = choice
        widths[choice] += width_of(name) + GAP
    return heights


def with_bends(uses, heights):
    """Rows of nodes from the top to the ground, and arrows from each row to the next: an arrow over several rows
    bends at a point `(from, to, row)` in each of those between."""
    top = max(heights.values())
    rows = [[] for _ in range(top + 1)]
    for name in sorted(uses):
        rows[top - heights[name]].append(name)
    arrows, paths = [], {}
    for name in sorted(uses):
        for used in sorted(uses[name]):
            path = [name]
            for row in range(top - heights[name] + 1, top - heights[used]):
                path.append((name, used, row))
                rows[row].append(path[-1])
            path.append(used)
            paths[name, used] = path
            arrows += zip(path, path[1:])
    return rows, arrows, paths


def width_of(node):
    return len(node) * CHARACTER + 16 if isinstance(node, str) else 4


def crossings(rows, arrows):
    position = {node: index for row in rows for index, node in enumerate(row)}
    row_of = {node: index for index, row in enumerate(rows) for node in row}
    count = 0
    for row in range(len(rows)):
        ends = sorted((position[a], position[b]) for a, b in arrows if row_of[a] == row)
        count += sum(1 for i, (_, low) in enumerate(ends) for _, other in ends[i + 1:] if other < low)
    return count


def ordered(rows, arrows):
    """Each row in an order in which few arrows cross: each node near the middle of its neighbours, in many sweeps."""
    above, below = {}, {}
    for a, b in arrows:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    best, fewest = [list(row) for row in rows], crossings(rows, arrows)
    for sweep in range(SWEEPS):
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            position = {node: index / max(1, len(other) - 1) for other in rows for index, node in enumerate(other)}

            def middle(node):
                near = [position[other] for other in neighbours.get(node, [])]
                return sum(near) / len(near) if near else position[node]

            row.sort(key=lambda node: (middle(node), position[node]))
        count = crossings(rows, arrows)
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def placed(rows, arrows):
    """The middle of each node, as far under its neighbours as its row has room."""
    neighbours = {}
    for a, b in arrows:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    x = {}
    for row in rows:
        edge = 0
        for node in row:
            x[node] = edge + width_of(node) / 2
            edge += width_of(node) + GAP
    for _ in range(200):
        for row in rows:
            for index, node in enumerate(row):
                near = [x[other] for other in neighbours.get(node, [])]
                if not near:
                    continue
                low, high = -10_000, 10_000
                if index > 0:
                    low = x[row[index - 1]] + (width_of(row[index - 1]) + width_of(node)) / 2 + GAP
                if index + 1 < len(row):
                    high = x[row[index + 1]] - (width_of(row[index + 1]) + width_of(node)) / 2 - GAP
                x[node] = max(low, min(high, sum(near) / len(near)))
    left = min(x[node] - width_of(node) / 2 for row in rows for node in row)
    return {node: round(value - left + MARGIN, 1) for node, value in x.items()}


# ----------------------------------------------------------------------------------------------------------- Drawing


def drawing(uses, kinds):
    arrows_shown = reduced(uses)
    rows, arrows, paths = with_bends(arrows_shown, layers_of(arrows_shown))
    rows = ordered(rows, arrows)
    x = placed(rows, arrows)
    y = {node: MARGIN + index * LAYER_HEIGHT for index, row in enumerate(rows) for node in row}
    width = round(max(x[node] + width_of(node) / 2 for node in x) + MARGIN)
    height = MARGIN + (len(rows) - 1) * LAYER_HEIGHT + BOX_HEIGHT + MARGIN + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img"\n     aria-labelledby="title description" '
        "font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\">",
        "  <!-- Made by scripts/module_map.py from Package.swift. Do not edit. -->",
        '  <title id="title">The modules of Stratus</title>', f'  <desc id="description">{description(arrows_shown)}</desc>',
        f"  <style>{STYLE}\n  </style>",
        '  <defs>\n    <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto">\n      <path class="head" d="M0 0 L10 5 L0 10 z"/>\n    </marker>\n  </defs>',
        f'  <rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10"/>',
    ]
    for ends in sorted(paths):
        parts.append(f'  <path class="line" d="{curve(paths[ends], x, y)}" marker-end="url(#arrow)"/>')
    for name in sorted(uses):
        parts += box(name, kinds[name], x[name], y[name])
    parts += legend(width, height)
    return "\n".join(parts) + "\n</svg>\n"


def description(arrows):
    return "; ".join(f"{name} uses {', '.join(sorted(used))}" for name, used in sorted(arrows.items()) if used) + "."


def curve(path, x, y):
    """From the lower edge of the first box to the upper edge of the last, upright at each bend."""
    points = [(x[path[0]], y[path[0]] + BOX_HEIGHT)]
    for bend in path[1:-1]:
        points += [(x[bend], y[bend]), (x[bend], y[bend] + BOX_HEIGHT)]
    points.append((x[path[-1]], y[path[-1]]))
    text = f"M{points[0][0]} {points[0][1]}"
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        half = round((y1 + y2) / 2, 1)
        text += f" L{x2} {y2}" if x1 == x2 else f" C{x1} {half} {x2} {half} {x2} {y2}"
    return text


def box(name, kind, x, y):
    width = width_of(name)
    return [
        f'  <rect class="{kind}" x="{round(x - width / 2, 1)}" y="{y}" width="{round(width, 1)}" '
        f'height="{BOX_HEIGHT}" rx="6"/>',
        f'  <text x="{x}" y="{y + 20}">{name}</text>',
    ]


def legend(width, height):
    entries = [("command", "a command"), ("product", "a library to depend on"), ("module", "a module inside"),
               ("system", "a library of the system")]
    parts, x = [], MARGIN
    for kind, words in entries:
        parts.append(f'  <rect class="{kind}" x="{x}" y="{height - 34}" width="22" height="14" rx="3"/>')
        parts.append(f'  <text x="{x + 30}" y="{height - 22}" style="text-anchor: start">{words}</text>')
        x += 60 + round(len(words) * CHARACTER)
    return parts


def main():
    description = described()
    uses, kinds = package(description)
    made = drawing(uses, kinds)
    if "--check" not in sys.argv:
        DRAWING.write_text(made)
        print(f"{DRAWING.relative_to(ROOT)}: {len(uses)} modules")
        return
    if not DRAWING.exists() or DRAWING.read_text() != made:
        sys.exit("FAILED: The drawing of the modules is not what Package.swift says: run scripts/module_map.py")
    page = PAGE.read_text()
    cells = re.findall(r"^\| ([\w, -]+) \|", page, re.MULTILINE)
    rows = {name for cell in cells for name in cell.split(", ")}
    missing = sorted(set(uses) - rows)
    if missing:
        sys.exit(f"FAILED: ARCHITECTURE.md's table of modules has no row for {', '.join(missing)}")
    faults = [*import_faults(description), *table_faults(description, uses, page)]
    if faults:
        sys.exit("\n".join(f"FAILED: {fault}" for fault in faults))
    print(f"  the drawing has the {len(uses)} modules of Package.swift, whose imports are as declared")


if __name__ == "__main__":
    main()
