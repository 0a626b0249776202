#!/usr/bin/env python3
"""No comment, sentence, template or document uses what 'Write this, not that' in Documentation/Glossary.md rules out.

Only what is wrong wherever it is written is looked for; the rest of the table is for those who read a change."""

import re
import subprocess
import sys

from sources import ROOT

# What to write, as the glossary's table has it, and what not.
RULES = {
    "fix, repair": r"[Mm]end(?:s|ed|ing)?",
    "again": r"anew|once more",
    "must": r"[Ss]hall",
    "at most, at least": r"at the (?:most|least)",
    "is created, is made": r"com(?:e|es|ing) to be",
    "while, among": r"[Ww]hilst|[Aa]mongst",
    "fails, is refused": r"of no use",
    "is not a": r"(?:[Ii]t|that|what|which) is no (?!longer\b|more\b)[A-Za-z]+|[Ww]here it is no more",
    "whose, that": r"(?:for|to|of|by|from) who (?:asks|calls|looks|reads|writes|uses)",
    "exists": r"is there already|must not be there",
    "already exists": r"exists? already",
    "check": r"[Ll]ook(?:s|ed)? whether",
}
GLOSSARY = "Documentation/Glossary.md"
# Words of others, and this list.
LEFT_OUT = ("LICENSE", GLOSSARY, "scripts/words.py", "Tests/Releases/", "Tests/ManagedObjectGenerationTests/Corpus/",
            "Documentation/conformance/", "Documentation/Conformance.md")
ENDINGS = (".swift", ".md", ".py", ".sh", ".js", ".css", ".mustache", ".yaml", ".json", ".html", ".c", ".h")


def main():
    table = (ROOT / GLOSSARY).read_text()
    unknown = [word for word in RULES if f"| {word} |" not in table]
    if unknown:
        sys.exit(f"FAILED: The glossary's table has no row for {', '.join(unknown)}.")
    rules = [(write, re.compile(rf"\b(?:{words})\b")) for write, words in RULES.items()]
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    names = [name for name in names if name.endswith(ENDINGS) and not name.startswith(LEFT_OUT)]
    found = []
    for name in names:
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            for write, words in rules:
                if match := words.search(line):
                    found.append(f"{name}:{number}: '{match.group()}'; write: {write}")
    if found:
        sys.exit(f"FAILED: Words that the glossary rules out, {len(found)} times:\n" + "\n".join(found))
    print(f"  {len(names)} files keep to the glossary")


if __name__ == "__main__":
    main()
